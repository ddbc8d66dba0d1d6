/** The parts of the appearance: texts and images, their limits and their defaults. */

/** Every text, with its greatest length. Descriptions, guidelines and messages are Markdown. */
export const texts = {
  title: 255,
  description: 10_000,
  pwa_name: 255,
  pwa_short_name: 255,
  pwa_description: 2_048,
  new_project_guidelines: 10_000,
  member_guidelines: 10_000,
  profile_image_guidelines: 10_000,
  header_message: 2_000,
  footer_message: 2_000,
  message_background_color: 7,
  message_font_color: 7,
} as const

export type TextName = keyof typeof texts

export const textNames = Object.keys(texts) as TextName[]

/** Initial values; the other texts are empty. */
export const initial: Partial<Record<TextName, string>> = { message_background_color: '#E75E40', message_font_color: '#FFFFFF' }

const pictures = ['png', 'jpg', 'gif', 'webp'] as const

/** Every image, with the types it may have: none that may contain a script, and of those only what browsers show in that place. */
export const images = {
  logo: pictures,
  header_logo: pictures,
  favicon: ['png', 'ico'],
  pwa_icon: ['png', 'webp'],
} as const

export type ImageName = keyof typeof images

export const imageNames = Object.keys(images) as ImageName[]

export const maxImage_kib = 1024

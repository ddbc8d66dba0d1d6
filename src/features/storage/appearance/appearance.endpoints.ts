/** The appearance of the instance: its name, texts, images, and messages on every page. */
import { type Static, Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { endpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator, anyone } from '../../../http/declare/rules.ts'
import { File, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { mediaTypeOf } from '../avatars/avatars.ts'
import { imageNames, maxImage_kib } from './appearance.fields.ts'
import { changeAppearance } from './appearance.service.ts'
import { type Appearance, imagePath, readAppearance } from './stored.service.ts'

const text = Type.String()
const path = nullable(Type.String({ description: 'The path of the image' }))

const AppearanceReply = resource('Appearance', {
  title: text,
  description: text,
  pwa_name: text,
  pwa_short_name: text,
  pwa_description: text,
  pwa_icon: path,
  logo: path,
  header_logo: path,
  favicon: path,
  member_guidelines: text,
  new_project_guidelines: text,
  profile_image_guidelines: text,
  header_message: text,
  footer_message: text,
  message_background_color: text,
  message_font_color: text,
  email_header_and_footer_enabled: Type.Boolean(),
})

const line = (description: string) => Type.Optional(nullable(Type.String({ description })))
const image = (description: string) => Type.Optional(nullable(Type.Unsafe<Static<typeof File>>({ ...File, description })))

const body = {
  title: line('The name of the instance, on its front page and where people sign in'),
  description: line('Below it; Markdown'),
  pwa_name: line('The name of the instance as an installed application'),
  pwa_short_name: line('The same where there is little room'),
  pwa_description: line('What the application is'),
  pwa_icon: image('Its icon; PNG or WebP'),
  logo: image('On the front page and where people sign in; PNG, JPEG, GIF or WebP'),
  header_logo: image('At the top of every page; PNG, JPEG, GIF or WebP'),
  favicon: image('In the tabs of browsers; PNG or ICO'),
  member_guidelines: line('On the pages of members; Markdown'),
  new_project_guidelines: line('On the page of new projects; Markdown'),
  profile_image_guidelines: line('Where people choose their picture; Markdown'),
  header_message: line('Above every page; Markdown'),
  footer_message: line('Below every page; Markdown'),
  message_background_color: line('Of both messages: `#E75E40` by default'),
  message_font_color: line('Of both messages: `#FFFFFF` by default. Black or white where it could not be read'),
  email_header_and_footer_enabled: Type.Optional(Type.Boolean({ description: 'Whether mail begins and ends with the messages' })),
}

export const appearance = [
  endpoint('GET /application/appearance', {
    summary: 'Get the appearance of the instance',
    access: administrator(),
    reply: AppearanceReply,
    handle: async ({ app }) => present(await readAppearance(app.db)),
  }),
  endpoint('PUT /application/appearance', {
    summary: 'Update the appearance of the instance',
    access: administrator(),
    body,
    atLeastOne: Object.keys(body) as Array<keyof typeof body>,
    maxBody_bytes: imageNames.length * maxImage_kib * 1024 + 1024 * 1024,
    reply: AppearanceReply,
    async handle({ app, body: { logo, header_logo, favicon, pwa_icon, ...texts } }) {
      return present(await changeAppearance(app, { ...texts, images: { logo, header_logo, favicon, pwa_icon } }))
    },
  }),
  streamEndpoint('GET /uploads/-/system/appearance/:image/1/:filename', {
    summary: 'Get an image of the appearance',
    operationId: 'getAppearanceImage',
    outsideApi: true,
    access: anyone(),
    params: { image: oneOf(...imageNames) },
    async handle({ app, params: { image, filename } }) {
      const { avatar_key: key, avatar_name: name } = (await readAppearance(app.db)).images[image]
      if (key === null || name === null || name !== filename) throw notFound('Image')
      return {
        etag: `"${key.split('/').at(-1)}"`,
        describe: () => ({ type: mediaTypeOf(name), 'content-disposition': `inline; filename="${name}"` }),
        open: () => app.store.open(key),
      }
    },
  }),
]

function present({ images, ...texts }: Appearance): Static<typeof AppearanceReply> {
  return {
    ...texts,
    pwa_icon: imagePath({ images }, 'pwa_icon'),
    logo: imagePath({ images }, 'logo'),
    header_logo: imagePath({ images }, 'header_logo'),
    favicon: imagePath({ images }, 'favicon'),
  }
}

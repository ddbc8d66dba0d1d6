/** Badges, as they are stored and as they are shown. */
import { Type } from 'typebox'
import { oneOf, resource } from '../../../http/parameters/schema.ts'

/** Without a place: what a preview shows. */
export const RenderedBadge = resource('RenderedBadge', {
  link_url: Type.String(),
  image_url: Type.String(),
  rendered_link_url: Type.String({ description: 'With placeholders replaced' }),
  rendered_image_url: Type.String(),
})

export const Badge = resource('Badge', { ...RenderedBadge.properties, id: Type.Integer(), kind: oneOf('project', 'group') })

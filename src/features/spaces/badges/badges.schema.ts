/** Badges in JSON, with and without placeholders filled in. */
import { Type } from 'typebox'
import { oneOf, resource } from '../../../http/parameters/schema.ts'

/** Without a place, for a preview. */
export const RenderedBadge = resource('RenderedBadge', {
  link_url: Type.String(),
  image_url: Type.String(),
  rendered_link_url: Type.String({ description: 'With placeholders replaced' }),
  rendered_image_url: Type.String(),
})

export const Badge = resource('Badge', { ...RenderedBadge.properties, id: Type.Integer(), kind: oneOf('project', 'group') })

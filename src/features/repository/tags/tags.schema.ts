/** Tags and their releases (spec 2.9). */
import { Type } from 'typebox'
import { nullable, resource } from '../../../http/parameters/schema.ts'
import { Commit } from '../commits/commits.schema.ts'

export const TagRelease = resource('TagRelease', { tag_name: Type.String(), description: Type.String({ description: 'Markdown' }) })

export const Tag = resource('Tag', {
  name: Type.String(),
  message: nullable(Type.String()),
  target: Type.String({ description: 'The tag object of an annotated tag; the commit of a lightweight tag' }),
  commit: nullable(Commit),
  release: nullable(TagRelease),
})

/** Snippets as JSON (spec 2.13), with what later versions of this API add. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../http/parameters/schema.ts'
import { UserBrief } from '../people/users/users.schema.ts'

export const Snippet = resource('Snippet', {
  id: Type.Integer(),
  title: Type.String(),
  file_name: Type.String({ description: 'The path of its first file' }),
  description: nullable(Type.String()),
  visibility: oneOf('private', 'internal', 'public'),
  author: UserBrief,
  expires_at: nullable(Type.String({ description: 'Always null: snippets stay' })),
  created_at: Instant,
  updated_at: Instant,
  project_id: nullable(Type.Integer({ description: 'Null of a personal snippet' })),
  web_url: Type.String(),
  raw_url: Type.String({ description: 'The content of its first file' }),
  files: Type.Array(Type.Object({ path: Type.String(), raw_url: Type.String() })),
  imported: Type.Boolean(),
  imported_from: Type.String(),
})

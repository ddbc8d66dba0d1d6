/** Files that a search finds (spec 4.1: shapes of the reference), with what later versions of this API add. */
import { Type } from 'typebox'
import { nullable, resource } from '../../../http/parameters/schema.ts'

export const FoundBlob = resource('SearchBlob', {
  basename: Type.String({ description: 'The path without the extension' }),
  data: Type.String({ description: 'The lines that match and those around them; of a file whose name matches, its first lines' }),
  path: Type.String(),
  filename: Type.String({ description: 'The same as `path`' }),
  id: nullable(Type.String({ description: 'Of the blob, where the name of the file matches' })),
  ref: Type.String(),
  startline: Type.Integer({ description: 'The line on which `data` begins' }),
  project_id: Type.Integer(),
})

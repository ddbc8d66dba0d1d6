/** How far an export or an import has come, and whose. */
import { Type } from 'typebox'
import { Instant, nullable, resource } from '../../../http/schema.ts'

const text = Type.String()

const identity = {
  id: Type.Integer(),
  description: nullable(text),
  name: text,
  name_with_namespace: text,
  path: text,
  path_with_namespace: text,
  created_at: Instant,
}

export const ExportStatus = resource('ExportStatus', {
  ...identity,
  export_status: text,
  _links: Type.Optional(Type.Object({ api_url: text, web_url: text })),
})

export const ImportStatus = resource('ImportStatus', { ...identity, import_status: text, import_error: Type.Optional(text) })

/** The state of an export, and its project. */
import { Type } from 'typebox'
import { resource } from '../../../http/parameters/schema.ts'
import { identity } from '../project-identity.ts'

const text = Type.String()

export const ExportStatus = resource('ExportStatus', {
  ...identity,
  export_status: text,
  _links: Type.Optional(Type.Object({ api_url: text, web_url: text })),
})

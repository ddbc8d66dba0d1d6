/** The progress of an archive import, and its project. */
import { Type } from 'typebox'
import { resource } from '../../../http/parameters/schema.ts'
import { identity } from '../project-identity.ts'

const text = Type.String()

export const ImportStatus = resource('ImportStatus', { ...identity, import_status: text, import_error: Type.Optional(text) })

/** Access to the secure files of a project, for endpoints and pages. */
import { notFound } from '../../../failure.ts'
import { type ProjectGranted, project, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { secureFileAt } from './secure-files.queries.ts'

const inPath = nested({ secure_file_id: Id }, async ({ project }: ProjectGranted, { secure_file_id }, app) => {
  const file = await secureFileAt(app.db, project.id, secure_file_id)
  if (!file) throw notFound('Secure file')
  return { file }
})

export const secureFilesSeen = using('builds', project('read_secure_files'))
export const secureFilesManaged = unarchived(using('builds', project('manage_secure_files')))
export const secureFileSeen = within(secureFilesSeen, inPath)
export const secureFileManaged = within(secureFilesManaged, inPath)

/** Secure files of a project: added and removed in its CI settings. Nobody downloads them here: jobs do. */

import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import type { SecureFile } from '../../../db/tables.ts'
import {
  addSecureFile,
  listSecureFiles,
  maxSecureFile_bytes,
  removeSecureFile,
  secureFileManaged,
  secureFilesManaged,
} from '../../../features/ci/secure-files/secure-files.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import { File } from '../../../http/parameters/schema.ts'
import { action, type Typed, type View } from '../../frame/declaration.ts'
import { field, form, problemsOf, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { formPage, listWithForm, ofProject, type ProjectSeen, removableRow } from './lists.ts'
import { type SettingsSeen, sectionAddress, settingsAddress } from './places.ts'

const say = translated({
  about: 'Keys, keystores and certificates of up to 5 MiB for jobs, sealed. A job downloads them with its token.',
  none: 'No secure file yet.',
  adding: 'Add a secure file',
  added: 'The secure file was added.',
  removed: 'The secure file was removed.',
  removal: 'Jobs that need it will fail.',
})

const back = (seen: ProjectSeen) => sectionAddress(ofProject(seen).place, 'secure-files')

export const secureFilePages = [
  action('POST /:project/settings/ci_cd/secure_files', {
    access: secureFilesManaged,
    form: { name: Type.String({ default: '' }), file: Type.Optional(File) },
    // The form around the file needs room, too.
    maxBody_bytes: maxSecureFile_bytes + 64 * 1024,
    async act({ sent: { name, file }, ...seen }) {
      const bytes = file?.bytes ?? Buffer.alloc(0)
      await addSecureFile(seen.app, seen.project.id, { name: name.trim() || (file?.filename ?? ''), bytes })
      return { redirect: back(seen), notice: say.added }
    },
    again: formView,
  }),
  action('POST /:project/settings/ci_cd/secure_files/:secure_file_id/delete', {
    access: secureFileManaged,
    async act({ app, file, ...seen }) {
      await removeSecureFile(app, file)
      return { redirect: back({ app, ...seen }), notice: say.removed }
    },
  }),
]

export async function secureFilesList(seen: SettingsSeen, project: LocatedProject): Promise<Html> {
  const { rows } = await listSecureFiles(seen.app.db, project.id, { limit: 100, offset: 0 })
  const address = `${settingsAddress(seen.place)}/secure_files`
  const row = ({ id, name, checksum, created_at }: SecureFile) =>
    removableRow({
      what: html`${isolated(name)}<p><code>${checksum.slice(0, 16)}…</code>, added ${ago(created_at)}</p>`,
      name,
      verb: t`Remove`,
      consequence: say.removal,
      removal: { action: `${address}/${id}/delete`, token: seen.token, submit: t`Remove the file` },
    })
  const adding = { title: say.adding, form: addForm(address, seen.token, untouched) }
  return listWithForm({ about: say.about, none: say.none, rows: rows.map(row), adding })
}

function addForm(action: string, token: Html, typed: Typed): Html {
  const content = html`
    ${problemsOf(typed.errors, ['name', 'file'])}
    ${field(t`File`, 'file', typed, { type: 'file', required: true, id: 'secure-' })}
    ${field(t`Name`, 'name', typed, { hint: t`That of the file, if you leave it empty.`, id: 'secure-' })}
  `
  return form({ action, token, submit: t`Add the file`, files: true }, content)
}

function formView(seen: ProjectSeen, typed: Typed): View {
  const settings = ofProject(seen)
  const content = addForm(`${settingsAddress(settings.place)}/secure_files`, seen.token, typed)
  return formPage(settings, { title: say.adding, back: [back(seen), t`All secure files`] }, content)
}

/** New files and folders, and uploads: commits. */

import { Type } from 'typebox'
import { addressAt } from '../../../addresses/repository.ts'
import { invalid } from '../../../failure.ts'
import { maxBody_bytes } from '../../../features/repository/commit-actions/commit-actions.schema.ts'
import { commitActions } from '../../../features/repository/commit-actions/commit-actions.ts'
import { pushable } from '../../../features/repository/pushes/pushes.ts'
import { findEntry, readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { authenticated, project, unarchived } from '../../../http/declare/rules.ts'
import { File } from '../../../http/parameters/schema.ts'
import { withoutTrailing } from '../../../text/trailing.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, field, form, problemsOf, untouched } from '../../frame/forms.ts'
import type { Place } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { type Changing, commitFields, committedAddress, fieldNames, placeOfChange, refusedView, requestOf, targetOf } from './change.ts'
import { crumbsOf } from './crumbs.ts'
import { editorField } from './edit.pages.ts'
import { baseName } from './names.ts'
import { sentences } from './sentences.ts'

const commit = { commit_message: Type.String(), branch: Type.String() }
const readable = authenticated(project('code'))
const writable = unarchived(pushable())

type Visit = Changing & { token: Html; params: { '*': string } }

export const newPages = [
  page('GET /:project/new/*', {
    access: readable,
    query: { file_path: Type.String({ default: '', maxLength: 1_000 }) },
    show: ({ sent, ...visit }) => showForm('new', visit, untouched, sent.file_path),
  }),
  action('POST /:project/new/*', {
    access: writable,
    form: { file_path: Type.String(), content: Type.String(), ...commit },
    async act({ sent, ...visit }) {
      const place = await placeOfChange(visit, visit.params['*'])
      const path = within(place, sent.file_path)
      return created(visit, place, sent, { action: 'create', file_path: path, content: sent.content, encoding: 'text' })
    },
    again: (visit, typed) => showForm('new', visit, typed),
  }),
  page('GET /:project/create_dir/*', { access: readable, show: (visit) => showForm('create_dir', visit, untouched) }),
  action('POST /:project/create_dir/*', {
    access: writable,
    form: { file_path: Type.String(), ...commit },
    async act({ sent, ...visit }) {
      if (sent.file_path.trim() === '') throw invalid({ file_path: [t`can’t be empty`] })
      const place = await placeOfChange(visit, visit.params['*'])
      const path = `${within(place, sent.file_path)}/.gitkeep`
      return created(visit, place, sent, { action: 'create', file_path: path, content: '', encoding: 'text' })
    },
    again: (visit, typed) => showForm('create_dir', visit, typed),
  }),
  page('GET /:project/create/*', { access: readable, show: (visit) => showForm('create', visit, untouched) }),
  action('POST /:project/create/*', {
    access: writable,
    form: { file: Type.Optional(File), replace: Type.Boolean({ default: false }), ...commit },
    maxBody_bytes,
    async act({ sent, ...visit }) {
      if (!sent.file) throw invalid({ file: [t`is missing. ${sentences.choose_file}`] })
      const place = await placeOfChange(visit, visit.params['*'])
      const path = within(place, sent.file.filename.replace(/^.*[\\/]/, ''))
      const isThere = sent.replace && (await exists(visit, place, sent.branch, path))
      const content = sent.file.bytes.toString('base64')
      return created(visit, place, sent, { action: isThere ? 'update' : 'create', file_path: path, content, encoding: 'base64' })
    },
    again: (visit, typed) => showForm('create', visit, typed),
  }),
]

function within({ path }: Place, name: string): string {
  const written = withoutTrailing(name.trim().replace(/^\/+/, ''), '/')
  return path === '' ? written : `${path}/${written}`
}

/** On the target branch, or else on the branch it starts from. */
async function exists({ repo }: Changing, place: Place, branch: string, path: string): Promise<boolean> {
  const tip = (await resolveCommit(repo, `refs/heads/${branch}`)) ?? place.commit
  return tip !== '' && (await findEntry(repo, (await readCommit(repo, tip)).tree, path)) !== null
}

type Change = { action: 'create' | 'update'; file_path: string; content: string; encoding: 'text' | 'base64' }

async function created(visit: Visit, place: Place, sent: { branch: string; commit_message: string }, change: Change) {
  const { app, user, project, level } = visit
  const target = await targetOf(visit, place)
  await commitActions(app, { user, project, level }, requestOf(target, sent), [change])
  return {
    redirect: committedAddress(project, sent.branch, change.file_path),
    notice: sentences.created(baseName(change.file_path), sent.branch),
  }
}

const forms = () =>
  ({
    new: { title: t`New file`, submit: t`Create file`, message: t`Add a file`, fields: ['file_path', 'content'] },
    create: { title: t`Upload a file`, submit: t`Upload file`, message: t`Upload a file`, fields: ['file', 'replace'] },
    create_dir: { title: t`New folder`, submit: t`Create folder`, message: t`Add a folder`, fields: ['file_path'] },
  }) as const

/** `name` is proposed for a new file; a README begins with the name of the project. */
async function showForm(kind: keyof ReturnType<typeof forms>, visit: Visit, typed: Typed, name = ''): Promise<View> {
  const { token, user, project, level } = visit
  const { title, submit, message, fields } = forms()[kind]
  const place = await placeOfChange(visit, visit.params['*'])
  const refused = await refusedView(visit, title, { ...place, page: kind })
  if (refused) return refused
  const target = await targetOf(visit, place)
  const own = {
    new: () => html`
      ${field(t`Name`, 'file_path', typed, { value: name, required: true, autofocus: name === '' })}
      ${editorField(typed, name === 'README.md' ? `# ${project.name}\n` : '', name)}
    `,
    create: () => html`
      ${field(t`File`, 'file', typed, { type: 'file', required: true })}
      ${checkbox(t`Replace a file of the same name`, 'replace', typed, { value: 'false' })}
    `,
    create_dir: () => field(t`Name`, 'file_path', typed, { required: true, autofocus: true, hint: sentences.folder_hint }),
  }
  const action = addressAt(project.full_path, kind, place.revision, place.path)
  const committed = commitFields(typed, target, name === '' ? message : t`Add ${name}`)
  return projectView(
    { project, level, user, tab: 'files' },
    {
      title,
      main: html`
        <h1>${title}</h1>
        ${crumbsOf(project, place)}${problemsOf(typed.errors, [...fieldNames, ...fields])}
        ${form({ action, token, submit, files: kind === 'create' }, html`${own[kind]()}${committed}`)}
      `,
      scripts: kind === 'new' ? ['editor.js'] : [],
    },
  )
}

/** Importing into an empty project; how far an import, or the copying of a fork, is; stopping it, and beginning again. */

import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { findArchiveImport, stopArchiveImport } from '../../../features/transfer/archive-imports/archive-imports.ts'
import { restartFork } from '../../../features/transfer/forks/forks.ts'
import { restartImport, stopImport } from '../../../features/transfer/imports/imports.ts'
import { findProgress, type Progress } from '../../../features/transfer/progress/progress.ts'
import { type Html, html } from '../../../html/html.ts'
import { size } from '../../../html/phrases.ts'
import { refusalInWords } from '../../../html/refusals.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { action, page, type Redirect, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { field, form, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { workChanges } from '../../frame/live.ts'
import { progressBar, refreshing } from '../../frame/parts.ts'
import { projectView, type Seen } from '../../project/project-view.ts'
import { formPages } from '../../repository/files/change.ts'
import * as say from './sentences.ts'

/** How often a page of long work reloads if no scripts run. */
export const refresh_s = 4

export const importPages = [
  page('GET /:project/import', {
    access: project('visible'),
    query: { continue_to: Type.String({ default: '', maxLength: 8_000 }) },
    show: ({ sent, ...context }) => importView(context, untouched, sent.continue_to),
  }),
  action('POST /:project/import/stop', {
    access: project('export_project'),
    async act({ app, user, project }) {
      const { full_path, id } = project
      const isStopped = (await stopArchiveImport(app, id, user)) || (await stopImport(app, id, user))
      return { redirect: `/${full_path}/import`, notice: isStopped ? say.importStopped() : say.hadEnded() }
    },
  }),
  action('POST /:project/import/again', {
    access: project('export_project'),
    form: { import_url: Type.String({ default: '' }) },
    async act({ app, user, project, sent: { import_url } }) {
      if (project.import_status !== 'none' && project.forked_from_id !== null && project.import_url === null)
        await restartFork(app, user, project)
      else await restartImport(app, user, project.id, import_url.trim())
      return { redirect: `/${project.full_path}/import` }
    },
    again: async (context, typed) => {
      const shown = await importView(context, typed)
      return 'main' in shown
        ? shown
        : projectView({ ...context, tab: 'project' }, { title: t`Import`, main: html`<h1>Import</h1>${problemsOf(typed.errors, [])}` })
    },
  }),
]

/** `continue_to` is the page of the project for which somebody forked it: a form that commits. */
async function importView({ app, user, project, level, token }: Visit & Seen, typed: Typed, continue_to = ''): Promise<View | Redirect> {
  const { import_status: status, full_path, id } = project
  if (status === 'finished') {
    const isForm = formPages.some((page) => continue_to.startsWith(`${page}/`))
    const wanted = isForm ? ownAddress(`/${full_path}/${continue_to}`) : null
    return { redirect: wanted ?? `/${full_path}`, notice: say.importFinished() }
  }
  const isManager = may('edit_project', level)
  const seen = { project, level, user, tab: 'project' as const }
  if (status === 'none') {
    if (!isManager || project.default_branch !== null) return { redirect: `/${full_path}` }
    const main = html`
      <div class="form-page">
        <h1>Import a repository</h1>
        <p>${say.importInto()}</p>
        ${urlForm(project, token, typed, t`Import`)}
      </div>
    `
    return projectView(seen, { title: t`Import a repository`, main })
  }
  if (status === 'failed') {
    const again = isManager && (await findArchiveImport(app.db, id)) === null && againForm(project, token, typed)
    const reason = isManager && project.import_error !== null && html`<p class="problems">${refusalInWords(project.import_error)}</p>`
    return projectView(seen, { title: t`Import failed`, main: html`<h1>${say.importFailed()}</h1>${reason}${again}` })
  }
  const progress = await findProgress(app.db, id, 'import')
  const stop = isManager && postButton(t`Stop`, { action: `/${full_path}/import/stop`, token, kind: 'danger' })
  const main = html`
    <h1>${say.beingImported()}</h1>
    ${progressOf(status === 'scheduled' ? null : progress, say.waitingForTurn())}
    <p>${say.goesOn()}</p>
    ${stop}${isManager && (await workChanges(app, id))}
  `
  return projectView(seen, { title: t`Import`, main, head: refreshing(refresh_s) })
}

/** A bar, and the same in words. */
export function progressOf(progress: Progress | null, otherwise: string): Html {
  if (progress === null) return html`<div class="progress">${progressBar(t`Progress`, 0, null)}<p>${otherwise}</p></div>`
  const { done_bytes, total_bytes } = progress
  // The counted bytes are packed again during the transfer, so they can exceed the size of the source.
  const max = total_bytes === null || total_bytes === 0 ? null : Math.max(total_bytes, done_bytes)
  const words = max === null ? t`${size(done_bytes)} so far` : t`${size(done_bytes)} of about ${size(max)}`
  return html`<div class="progress">${progressBar(t`Progress`, done_bytes, max)}<p>${words}</p></div>`
}

/** Depends on the origin: a fork needs no input, a URL may need its credentials again, an archive has to be uploaded again. */
function againForm({ full_path, import_url, forked_from_id, default_branch }: LocatedProject, token: Html, typed: Typed): Html {
  const action = againAddress(full_path)
  if (default_branch !== null) return html`<p>${say.hasContent()}</p>`
  if (import_url !== null) return html`<h2>Try again</h2>${urlForm({ full_path, import_url }, token, typed, t`Import again`)}`
  if (forked_from_id !== null) return html`${problemsOf(typed.errors, [])}${postButton(t`Copy again`, { action, token, kind: 'primary' })}`
  return html`<p>${say.sendArchiveAgain()} <a href="/projects/new?from=archive">Import an archive</a></p>`
}

const againAddress = (full_path: string) => `/${full_path}/import/again`

function urlForm(
  { full_path, import_url }: Pick<LocatedProject, 'full_path' | 'import_url'>,
  token: Html,
  typed: Typed,
  submit: string,
): Html {
  const address = field(t`Address of the repository`, 'import_url', typed, {
    type: 'url',
    value: import_url ?? '',
    required: true,
    hint: say.importHint(),
  })
  return html`${problemsOf(typed.errors, ['import_url'])}${form({ action: againAddress(full_path), token, submit }, address)}`
}

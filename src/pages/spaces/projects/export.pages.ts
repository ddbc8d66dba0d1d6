/** Exporting a project as an archive: starting, progress, download, expiry. */

import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { downloadOf, exporting, exportSeenBy, kept_ms, startExport, stopExport } from '../../../features/transfer/exports/exports.ts'
import { findProgress } from '../../../features/transfer/progress/progress.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { form, postButton, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { workChanges } from '../../frame/live.ts'
import { icon, refreshing } from '../../frame/parts.ts'
import { projectView, type Seen } from '../../project/project-view.ts'
import { progressOf, refresh_s } from './import.pages.ts'
import * as say from './sentences.ts'

export const exportPages = [
  page('GET /:project/export', { access: exporting, show: (context) => exportView(context, untouched) }),
  page('GET /:project/download_export', {
    access: exporting,
    show: async ({ app, user, project }) => ({ bytes: await downloadOf(app, project, user) }),
  }),
  action('POST /:project/export', {
    access: exporting,
    form: { description: Type.String({ default: '', maxLength: 2_000 }) },
    async act({ app, user, project, sent: { description } }) {
      await startExport(app, user, project.id, { description: description.trim() || undefined })
      return { redirect: `/${project.full_path}/export` }
    },
    again: exportView,
  }),
  action('POST /:project/export/stop', {
    access: exporting,
    async act({ app, project }) {
      const isStopped = await stopExport(app, project.id)
      return { redirect: `/${project.full_path}/export`, notice: isStopped ? say.exportStopped() : say.hadEnded() }
    },
  }),
]

interface Exporting extends Seen {
  app: App
  user: User
  token: Html
}

async function exportView({ app, user, project, level, token }: Exporting, typed: Typed): Promise<View> {
  const address = `/${project.full_path}/export`
  const [found, progress] = await Promise.all([exportSeenBy(app, project.id, user), findProgress(app.db, project.id, 'export')])
  const isUnderWay = found?.state === 'queued' || found?.state === 'started'
  const description = textArea(t`Description in the archive`, 'description', typed, { value: project.description ?? '', rows: 2 })
  const start = html`
    ${problemsOf(typed.errors, ['description'])}${form(
      { action: address, token, submit: found?.store_key ? t`Export again` : t`Export` },
      description,
    )}
  `
  const underWay = html`
    ${progressOf(found?.state === 'started' ? progress : null, say.waitingForTurn())}
    <p>${say.goesOn()}</p>
    ${postButton(t`Stop`, { action: `${address}/stop`, token, kind: 'danger' })}${await workChanges(app, project.id)}
  `
  const archive =
    found !== null && found.store_key !== null && found.size !== null && found.state !== 'sending'
      ? html`
        <p class="notice">
          <a class="button" href="/${project.full_path}/download_export">${icon('download')} Download
            ${size(found.size)}</a>
          Made ${ago(found.updated_at)}, removed ${ago(new Date(Date.parse(found.updated_at) + kept_ms).toISOString())}.
        </p>
      `
      : null
  const main = html`
    <div class="form-page">
      <h1>Export</h1>
      <p>${say.exportMeaning()}</p>
      ${found?.state === 'failed' && html`<p class="problems">${say.exportFailed()}</p>`}
      ${found?.state === 'sending' && html`<p class="notice quiet">${say.exportSending()}</p>`}
      ${!isUnderWay && archive}${isUnderWay ? underWay : start}
    </div>
  `
  return projectView(
    { project, level, user, tab: 'general' },
    { title: t`Export`, main, ...(isUnderWay && { head: refreshing(refresh_s) }) },
  )
}

/** Exporting a group as an archive: starting, download, expiry. */

import { groupAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { exportingGroup, kept_ms, sendArchive } from '../../../features/transfer/exports/exports.ts'
import { groupExportSeenBy, startGroupExport } from '../../../features/transfer/group-archives/group-archives.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import { icon, refreshing } from '../../frame/parts.ts'
import { groupView, type SeenGroup } from '../../group/group-view.ts'
import { exportFailed, exportMeaning, exportQueued } from './sentences.ts'

export const groupExportPages = [
  page('GET /groups/:group/-/export', { access: exportingGroup, show: (context) => exportView(context) }),
  page('GET /groups/:group/-/download_export', {
    access: exportingGroup,
    show: async ({ app, user, group }) => ({ bytes: sendArchive(app, group.full_path, await groupExportSeenBy(app, group.id, user)) }),
  }),
  action('POST /groups/:group/-/export', {
    access: exportingGroup,
    async act({ app, user, group }) {
      await startGroupExport(app, user, group.id)
      return { redirect: groupAddress(group.full_path, 'export') }
    },
  }),
]

interface Exporting extends SeenGroup {
  app: App
  user: User
  token: Html
}

const refresh_s = 4

async function exportView({ app, user, group, level, token }: Exporting): Promise<View> {
  const found = await groupExportSeenBy(app, group.id, user)
  const isUnderWay = found?.state === 'queued'
  const hasArchive = found !== null && found.store_key !== null && found.size !== null
  const archive =
    hasArchive &&
    html`
      <p class="notice">
        <a class="button" href="${groupAddress(group.full_path, 'download_export')}">${icon('download')} Download
          ${size(found.size ?? 0)}</a>
        Made ${ago(found.updated_at)}, removed ${ago(new Date(Date.parse(found.updated_at) + kept_ms).toISOString())}.
      </p>
    `
  const main = html`
    <div class="page-form">
      <h1>Export</h1>
      <p>${exportMeaning()}</p>
      ${found?.state === 'failed' && html`<p class="problems">${exportFailed()}</p>`}
      ${!isUnderWay && archive}
      ${
        isUnderWay
          ? html`<p>${exportQueued()}</p>`
          : postButton(hasArchive ? t`Export again` : t`Export`, { action: groupAddress(group.full_path, 'export'), token })
      }
    </div>
  `
  return groupView({ group, level, user, tab: 'settings' }, { title: t`Export`, main, ...(isUnderWay && { head: refreshing(refresh_s) }) })
}

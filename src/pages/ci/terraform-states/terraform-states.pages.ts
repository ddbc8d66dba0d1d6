/** States of OpenTofu and Terraform: what there is, who holds a lock, and how a client is set up. */

import { may } from '../../../access/permissions.ts'
import { statesAddress } from '../../../addresses/ci.ts'
import { apiUrl } from '../../../addresses/links.ts'
import {
  listStates,
  removeState,
  type ShownState,
  statesSeen,
  stateWritten,
  unlockState,
} from '../../../features/ci/terraform-states/terraform-states.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { dangerous, form } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { copyable, emptyState, isolated } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import type { CiVisit } from '../seen.ts'

const perPage = 50

const say = translated({
  introduction: 'What OpenTofu and Terraform know of what they have built, sealed here and written by one of them at a time.',
  none: 'No state yet: a client writes the first.',
  setup:
    'Set the backend "http" up by these variables. The password is an access token, or the token of a job with the user gitlab-ci-token.',
  unlocking: 'Whoever holds the lock may still be writing. Take it from clients that have died.',
  removal: 'All versions of the state are deleted. What it describes stays, and no client knows of it any more.',
  unlocked: (name: string) => t`The state ${name} is unlocked.`,
  removed: (name: string) => t`The state ${name} was deleted.`,
})

export const terraformStatePages = [
  page('GET /:project/-/terraform', { access: statesSeen, query: pageNumber, show: ({ sent, ...visit }) => listView(visit, sent.page) }),
  action('POST /:project/-/terraform/:state_name/unlock', {
    access: stateWritten,
    async act({ app, project, state }) {
      await unlockState(app, state, undefined)
      return { redirect: statesAddress(project), notice: say.unlocked(state.name) }
    },
  }),
  action('POST /:project/-/terraform/:state_name/delete', {
    access: stateWritten,
    async act({ app, project, state }) {
      await removeState(app, state)
      return { redirect: statesAddress(project), notice: say.removed(state.name) }
    },
  }),
]

async function listView(visit: CiVisit, number: number): Promise<View> {
  const { app, project, level, user } = visit
  const { rows, total } = await listStates(app.db, project.id, pageFrom({ page: number, per_page: perPage }))
  const list = html`<ul class="rows">${rows.map((row) => stateRow(visit, row))}</ul>`
  return projectView(
    { project, level, user, tab: 'terraform_states', showsCode: false },
    {
      title: t`Terraform states`,
      main: html`
        <h1>Terraform states</h1>
        <p class="hint">${say.introduction}</p>
        <div class="panels">
          <details class="panel"><summary>Set up a client</summary>${setupOf(visit)}</details>
        </div>
        ${rows.length === 0 ? emptyState(say.none) : list}
        ${pagesBelow(statesAddress(project), { page: number, per_page: perPage, total })}
      `,
    },
  )
}

function setupOf({ app, project }: CiVisit): Html {
  const address = apiUrl(app.config, `projects/${project.id}/terraform/state/NAME`)
  const variables = {
    TF_HTTP_ADDRESS: address,
    TF_HTTP_LOCK_ADDRESS: `${address}/lock`,
    TF_HTTP_LOCK_METHOD: 'POST',
    TF_HTTP_UNLOCK_ADDRESS: `${address}/lock`,
    TF_HTTP_UNLOCK_METHOD: 'DELETE',
  }
  return html`
    <p class="hint">${say.setup}</p>
    ${Object.entries(variables).map(([name, value]) => copyable(name, `${name}=${value}`))}
  `
}

function stateRow({ app, project, level, token }: CiVisit, { name, last, lock_id, locked_by, locked_at }: ShownState): Html {
  const at = `${statesAddress(project)}/${encodeURIComponent(name)}`
  const mayWrite = may('write_terraform_states', level) && !project.archived
  const unseen = html`<span class="unseen"> <bdi>${name}</bdi></span>`
  const file = apiUrl(app.config, `projects/${project.id}/terraform/state/${encodeURIComponent(name)}`)
  const link = last && html`<a href="${file}" download="${name}.tfstate">Version ${last.serial}</a>`
  const version = last === null ? t`No version yet.` : html`${link}, written ${ago(last.created_at)}`
  const unlock = form({ action: `${at}/unlock`, token, submit: t`Unlock` }, html``)
  const remove = form({ action: `${at}/delete`, token, submit: t`Delete the state`, kind: 'danger' }, html``)
  return html`
    <li>
      <div class="what">
        <b>${isolated(name)}</b> ${lock_id !== null && html`<span class="tag">locked</span>`}
        <p>${version}</p>
        ${
          lock_id !== null && html`<p>Locked by ${isolated(locked_by ?? t`somebody`)}${locked_at !== null && html`, ${ago(locked_at)}`}</p>`
        }
      </div>
      <div class="facts">
        ${mayWrite && lock_id !== null && dangerous(html`Unlock${unseen}`, html`<p>${say.unlocking}</p>${unlock}`)}
        ${mayWrite && lock_id === null && dangerous(html`Delete${unseen}`, html`<p>${say.removal}</p>${remove}`)}
      </div>
    </li>
  `
}

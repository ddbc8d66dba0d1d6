/** The runners available to a place, and how to register one. */

import { shownProjectToken } from '../../../access/runners/registration-tokens.ts'
import type { CiRunner } from '../../../db/tables.ts'
import { enableableRunners, listRunners, registrationToken } from '../../../features/ci/runners/runners.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { dangerous, form, postButton } from '../../frame/forms.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { settingSentences as say } from '../sentences.ts'
import { managesRunners, projectIn, type SettingsPlace, type SettingsSeen, settingsAddress } from './places.ts'
import { commandsOf, runnerRow } from './runner-row.ts'

const perPage = 50

/** At most five statements. */
export async function runnersList(seen: SettingsSeen, number: number): Promise<Html> {
  const { app, place, token } = seen
  const { rows, total } = await listRunners(app.db, listOf(place), {}, pageFrom({ page: number, per_page: perPage }))
  const address = `${settingsAddress(place)}/runners`
  const list = html`<ul class="rows">${rows.map((runner) => runnerRow(runner, actionsOf(seen, runner)))}</ul>`
  const pages = pagesBelow(place.kind === 'instance' ? address : settingsAddress(place), { page: number, per_page: perPage, total })
  const reset = form({ action: `${address}/reset_registration_token`, token, submit: t`Reset the token`, kind: 'danger' }, html``)
  return html`
    <p class="hint">${say.runners(place.kind)}</p>
    ${rows.length === 0 ? html`<p class="empty">${say.noRunners}</p>` : list}
    ${pages}
    <p><a class="button" href="${address}/new">New runner</a></p>
    ${await othersOf(seen)}
    <details class="entry">
      <summary>Register a runner by a token</summary>
      ${commandsOf(app.config.url, await tokenOf(seen))}
      ${dangerous(t`Reset the registration token`, html`<p>${say.resetting}</p>${reset}`)}
    </details>
  `
}

function listOf(place: SettingsPlace): Parameters<typeof listRunners>[1] {
  if (place.kind === 'instance') return { of: 'instance' }
  const { id } = place.row
  return place.kind === 'group' ? { of: 'group', id } : { of: 'project', id, namespace_id: place.row.namespace_id }
}

async function tokenOf({ app, place }: SettingsSeen): Promise<string> {
  if (place.kind === 'instance') return registrationToken(app, { kind: 'instance' })
  if (place.kind === 'project') return shownProjectToken(app.secrets, place.row)
  return registrationToken(app, { kind: 'group', id: place.row.id, runners_token: place.row.runners_token })
}

/** Runners of places above are managed there. */
function isManagedIn(place: SettingsPlace, { kind, namespace_id }: CiRunner): boolean {
  if (place.kind === 'instance') return true
  return place.kind === 'project' ? kind === 'project' : namespace_id === place.row.id
}

function actionsOf({ place, token }: SettingsSeen, runner: CiRunner): Html | null {
  if (!managesRunners(place) || !isManagedIn(place, runner)) return null
  const address = `${settingsAddress(place)}/runners/${runner.id}`
  const name = html`<span class="unseen"> runner #${runner.id}</span>`
  const paused = { paused: String(runner.active) }
  return html`
    <a class="button" href="${address}/edit">Edit${name}</a>
    ${postButton(html`${runner.active ? t`Pause` : t`Resume`}${name}`, { action: `${address}/paused`, token, fields: paused })}
  `
}

/** Runners of the viewer's other projects, which can be enabled in this one. */
async function othersOf({ app, place, user, token }: SettingsSeen): Promise<Html | null> {
  const project = projectIn(place)
  const others = project ? await enableableRunners(app.db, user, project) : []
  if (others.length === 0) return null
  const enable = ({ id }: CiRunner) =>
    postButton(html`Enable<span class="unseen"> runner #${id}</span>`, { action: `${settingsAddress(place)}/runners/${id}/enable`, token })
  return html`<h3>Of your other projects</h3><ul class="rows">${others.map((runner) => runnerRow(runner, enable(runner)))}</ul>`
}

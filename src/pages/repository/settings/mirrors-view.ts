/** The section of mirrors: those that follow the project with their status, the one that it follows, and their forms. */

import type { App } from '../../../app.ts'
import type { PullMirror, PushMirror } from '../../../db/tables.ts'
import { hostFingerprints, type MirrorTable, maskedAddress } from '../../../features/transfer/mirrors/mirrors.ts'
import { pullMirrorOf } from '../../../features/transfer/pull-mirrors/pull-mirrors.ts'
import { listPushMirrors } from '../../../features/transfer/push-mirrors/push-mirrors.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { refusalInWords } from '../../../html/refusals.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import type { Typed } from '../../frame/declaration.ts'
import { checkbox, dangerous, field, form, hidden, postButton, problemsOf, select, textArea, untouched } from '../../frame/forms.ts'
import { copyable } from '../../frame/parts.ts'
import { badge } from '../refs/parts.ts'
import { mirrorStates, mirrorSentences as say } from './sentences.ts'
import { type SettingsVisit, section } from './settings-frame.ts'

/** More than a project may have. */
const perPage = 100

interface Shown {
  typed?: Typed
  /** The form that was rejected: of a new push mirror, of one with this id, or of the pull mirror. */
  failed?: 'new' | 'pull' | number
}

type Mirror = PushMirror | PullMirror

interface Place {
  app: App
  address: string
  token: Html
  typedIn: (of: 'new' | 'pull' | number) => Typed
}

/** Three statements, regardless of the number of mirrors. */
export async function mirrorsSection(visit: SettingsVisit, { typed = untouched, failed }: Shown = {}): Promise<Html> {
  const { app, project, token } = visit
  const { rows } = await listPushMirrors(app.db, project.id, pageFrom({ page: 1, per_page: perPage }))
  const pull = await pullMirrorOf(app.db, project.id)
  const address = `/${project.full_path}/mirrors`
  const place: Place = { app, address, token, typedIn: (of) => (of === failed ? typed : untouched) }
  const fresh = place.typedIn('new')
  return section(
    'mirrors',
    t`Mirrors`,
    html`
      <p class="hint">${say.what}</p>
      ${
        rows.length === 0
          ? html`<p class="empty">${say.none}</p>`
          : html`<ul class="rows">${rows.map((mirror) => pushRow(place, mirror))}</ul>`
      }
      <details class="entry"${fresh !== untouched && html` open`}>
        <summary>Mirror to another repository</summary>
        ${form({ action: address, token, submit: t`Add the mirror` }, pushFields(fresh, null))}
      </details>
      <p class="hint">${say.following}</p>
      ${pull && html`<ul class="rows">${pullRow(place, pull)}</ul>`}
      ${!pull && pullForm(place, null)}
    `,
  )
}

function pushRow(place: Place, mirror: PushMirror): Html {
  const { address, token } = place
  const typed = place.typedIn(mirror.id)
  const url = maskedAddress(place.app, 'push_mirrors', mirror)
  const of = html`<span class="unseen"> <bdi>${url}</bdi></span>`
  const fields = { id: String(mirror.id) }
  const change = { action: `${address}/change`, token, submit: t`Save`, kind: 'plain' } as const
  return html`
    <li>
      ${statusOf(place.app, 'push_mirrors', mirror)}
      <div class="facts">
        ${mirror.enabled && postButton(html`Update now${of}`, { action: `${address}/update`, token, fields })}
        <details class="entry"${typed !== untouched && html` open`}>
          <summary>Change${of}</summary>
          ${form(change, html`${hidden(fields)}${pushFields(typed, mirror)}`)}
        </details>
        ${dangerous(
          html`Remove${of}`,
          html`
            <p>${say.removal}</p>
            ${form({ action: `${address}/remove`, token, submit: t`Remove the mirror`, kind: 'danger' }, html`${hidden(fields)}`)}
          `,
        )}
      </div>
    </li>
  `
}

function pullRow(place: Place, mirror: PullMirror): Html {
  const update = { action: `${place.address}/pull/update`, token: place.token }
  return html`
    <li>
      ${statusOf(place.app, 'pull_mirrors', mirror)}
      <div class="facts">
        ${mirror.enabled && postButton(t`Look for changes now`, update)} ${pullForm(place, mirror)}
      </div>
    </li>
  `
}

function statusOf(app: App, table: MirrorTable, mirror: Mirror): Html {
  const { update_status, last_successful_update_at: succeeded, last_error, auth_method, public_key, mirror_branch_regex } = mirror
  const keys = hostFingerprints(mirror.host_keys)
  return html`
    <div class="what">
      <bdi>${maskedAddress(app, table, mirror)}</bdi> ${badge(mirrorStates[update_status])}
      ${!mirror.enabled && badge(t`disabled`)} ${mirror.only_protected_branches && badge(t`protected branches`)}
      <p>${succeeded === null ? t`never updated successfully` : html`last updated ${ago(succeeded)}`}</p>
      ${last_error !== null && html`<p class="error">${refusalInWords(last_error)}</p>`}
      ${mirror_branch_regex !== null && html`<p>branches: <code>${mirror_branch_regex}</code></p>`}
      ${
        auth_method === 'ssh_public_key' &&
        public_key !== null &&
        html`<p class="hint">${say.publicKey}</p>${copyable(t`Public key`, public_key)}`
      }
      ${keys.map(({ fingerprint_sha256 }) => html`<p>host key <code>${fingerprint_sha256}</code></p>`)}
    </div>
  `
}

const isTrue = (value: boolean | undefined) => (value === true ? 'true' : 'false')

function pushFields(typed: Typed, mirror: PushMirror | null): Html {
  const id = mirror ? `mirror-${mirror.id}-` : 'mirror-'
  return html`
    ${connectionFields(typed, id, mirror)}
    ${checkbox(t`Enabled`, 'enabled', typed, { id, value: isTrue(mirror?.enabled ?? true) })}
    ${branchFields(typed, id, mirror)}
    ${checkbox(t`Leave what others have moved there`, 'keep_divergent_refs', typed, {
      id,
      value: isTrue(mirror?.keep_divergent_refs),
      hint: say.divergentHint,
    })}
    ${mirror && html`<p class="hint">${say.saving}</p>`}
  `
}

function pullForm(place: Place, mirror: PullMirror | null): Html {
  const typed = place.typedIn('pull')
  const id = 'pull-'
  return html`
    <details class="entry"${typed !== untouched && html` open`}>
      <summary>${mirror ? t`Change what is followed` : t`Follow a repository elsewhere`}</summary>
      ${form(
        { action: `${place.address}/pull`, token: place.token, submit: mirror ? t`Save` : t`Follow it` },
        html`
          ${connectionFields(typed, id, mirror)}
          ${checkbox(t`Look for changes every half hour`, 'enabled', typed, { id, value: isTrue(mirror?.enabled ?? true) })}
          ${branchFields(typed, id, mirror)}
          ${checkbox(t`Overwrite what differs here`, 'overwrites_diverged_branches', typed, {
            id,
            value: isTrue(mirror?.overwrites_diverged_branches),
            hint: say.overwritesHint,
          })}
          ${checkbox(t`Start pipelines for what comes`, 'trigger_builds', typed, { id, value: isTrue(mirror?.trigger_builds) })}
          ${mirror && html`<p class="hint">${say.saving}</p>`}
        `,
      )}
    </details>
  `
}

const fieldNames = ['url', 'auth_user', 'auth_password', 'auth_method', 'host_keys', 'mirror_branch_regex', 'only_protected_branches']

/** The URL of a mirror is never shown whole: an empty field keeps it. */
function connectionFields(typed: Typed, id: string, mirror: Mirror | null): Html {
  return html`
    ${problemsOf(typed.errors, fieldNames)}
    ${field(mirror ? t`New URL` : 'URL', 'url', typed, { id, required: mirror === null, autocomplete: 'off', hint: say.urlHint })}
    ${field(t`User name`, 'auth_user', typed, { id, autocomplete: 'off' })}
    ${field(t`Password`, 'auth_password', typed, {
      id,
      type: 'password',
      autocomplete: 'new-password',
      hint: mirror ? say.passwordKept : say.passwordHint,
    })}
    ${select(
      t`Authenticate`,
      'auth_method',
      typed,
      [
        ['password', t`with the password`],
        ['ssh_public_key', t`with a key of its own`],
      ],
      { id, value: mirror?.auth_method ?? 'password', hint: say.keyHint },
    )}
    ${textArea(t`Keys of the host`, 'host_keys', typed, { id, rows: 2, hint: mirror?.host_keys ? say.hostKeysKept : say.hostKeysHint })}
  `
}

function branchFields(typed: Typed, id: string, mirror: Mirror | null): Html {
  return html`
    ${checkbox(t`Protected branches alone`, 'only_protected_branches', typed, { id, value: isTrue(mirror?.only_protected_branches) })}
    ${field(t`Branches`, 'mirror_branch_regex', typed, {
      id,
      value: mirror?.mirror_branch_regex ?? '',
      autocomplete: 'off',
      hint: say.regexHint,
    })}
  `
}

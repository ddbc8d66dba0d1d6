/** Creates, edits, pauses and removes runners of projects, groups and the instance. */

import { Type } from 'typebox'
import type { CiRunner } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import {
  changeRunner,
  createRunner,
  disableRunner,
  enableRunner,
  projectIdsOf,
  removeRunner,
  resetRegistrationToken,
  runnerAt,
} from '../../../features/ci/runners/runners.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Off } from '../../../http/parameters/schema.ts'
import { action, type Page, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, dangerous, field, form, postButton, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { settingSentences as say } from '../sentences.ts'
import { formPage } from './lists.ts'
import {
  baseOf,
  projectIn,
  runnerCreators,
  runnerManagers,
  runnerPlace,
  type SettingsGranted,
  type SettingsPlace,
  type SettingsSeen,
  sectionAddress,
  settingsAddress,
} from './places.ts'
import { commandsOfCreated, factsOf } from './runner-row.ts'

const fields = {
  description: Type.String({ default: '', maxLength: 2_000 }),
  tag_list: Type.String({ default: '', maxLength: 20_000 }),
  run_untagged: Off,
  locked: Off,
  is_protected: Off,
  /** In minutes; empty for none. */
  maximum_timeout: Type.String({ default: '', pattern: '^ *[0-9]{0,7} *$' }),
  maintenance_note: Type.String({ default: '', maxLength: 2_000 }),
}
type Sent = {
  description: string
  tag_list: string
  run_untagged: boolean
  locked: boolean
  is_protected: boolean
  maximum_timeout: string
  maintenance_note: string
}

const inPlace = nested({ runner_id: Id }, async ({ place }: SettingsGranted, { runner_id }, app): Promise<{ runner: CiRunner }> => {
  const runner = await runnerAt(app.db, runnerPlace(place), runner_id)
  if (!runner) throw notFound('Runner')
  return { runner }
})

export function runnerPages(kind: SettingsPlace['kind']): Page[] {
  const base = baseOf(kind)
  const managed = runnerManagers(kind)
  const one = within(managed, inPlace)
  return [
    page(`GET ${base}/runners/new`, { access: runnerCreators(kind), show: (seen) => newView(seen, untouched) }),
    action(`POST ${base}/runners`, {
      access: runnerCreators(kind),
      form: fields,
      async act({ sent, ...seen }) {
        const { runner, token } = await createRunner(seen.app, seen.user, runnerPlace(seen.place), inputOf(sent))
        return createdView(seen, runner, token)
      },
      again: (seen, typed) => newView(seen, typed),
    }),
    action(`POST ${base}/runners/reset_registration_token`, {
      access: managed,
      async act({ app, place }) {
        await resetRegistrationToken(app, runnerPlace(place))
        return { redirect: sectionAddress(place, 'runners'), notice: say.tokenReset }
      },
    }),
    page(`GET ${base}/runners/:runner_id/edit`, { access: one, show: (seen) => editView(seen, untouched) }),
    action(`POST ${base}/runners/:runner_id`, {
      access: one,
      form: fields,
      async act({ app, place, runner, sent }) {
        await changeRunner(app, runner, inputOf(sent))
        return { redirect: sectionAddress(place, 'runners'), notice: say.runnerChanged(runner.id) }
      },
      again: (seen, typed) => editView(seen, typed),
    }),
    action(`POST ${base}/runners/:runner_id/paused`, {
      access: one,
      form: { paused: Type.Boolean() },
      async act({ app, place, runner, sent: { paused } }) {
        await changeRunner(app, runner, { paused })
        return { redirect: sectionAddress(place, 'runners'), notice: paused ? say.runnerPaused(runner.id) : say.runnerResumed(runner.id) }
      },
    }),
    action(`POST ${base}/runners/:runner_id/delete`, {
      access: one,
      async act({ app, place, runner, user }) {
        await removeRunner(app, runner, user)
        return { redirect: sectionAddress(place, 'runners'), notice: say.runnerRemoved(runner.id) }
      },
    }),
    ...(kind === 'project' ? sharing : []),
  ]
}

/** Actions on a runner of several projects. */
const sharing = [
  action('POST /:project/settings/ci_cd/runners/:runner_id/enable', {
    access: runnerManagers('project'),
    async act({ app, place, user, params }) {
      const project = projectIn(place)
      const id = Number(/^[1-9]\d{0,14}$/.exec(params.runner_id)?.[0])
      if (!project || !id) throw notFound('Runner')
      await enableRunner(app, id, project, user)
      return { redirect: sectionAddress(place, 'runners'), notice: say.runnerEnabled(id) }
    },
  }),
  action('POST /:project/settings/ci_cd/runners/:runner_id/disable', {
    access: within(runnerManagers('project'), inPlace),
    async act({ app, place, runner }) {
      const project = projectIn(place)
      if (!project) throw notFound('Runner')
      await disableRunner(app, runner.id, project)
      return { redirect: sectionAddress(place, 'runners'), notice: say.runnerDisabled(runner.id) }
    },
  }),
]

function inputOf({ description, tag_list, run_untagged, locked, is_protected, maximum_timeout, maintenance_note }: Sent) {
  const minutes = maximum_timeout.trim()
  return {
    description: description.trim() || null,
    tag_list: [tag_list],
    run_untagged,
    locked,
    access_level: is_protected ? ('ref_protected' as const) : ('not_protected' as const),
    maximum_timeout: minutes === '' ? null : Number(minutes) * 60,
    maintenance_note: maintenance_note.trim() || null,
  }
}

const fresh = {
  kind: 'project',
  description: null,
  tags: '[]',
  run_untagged: true,
  locked: false,
  access_level: 'not_protected',
  maximum_timeout_s: null,
  maintenance_note: null,
} as const

type Shown = Pick<CiRunner, keyof typeof fresh>

function newView(seen: SettingsSeen, typed: Typed): View {
  const { place, token } = seen
  const content = fieldsOf({ ...fresh, kind: place.kind }, typed)
  const action = `${settingsAddress(place)}/runners`
  return formView(
    seen,
    t`New runner`,
    html`<p class="hint">${say.newRunner}</p>${form({ action, token, submit: t`Create the runner` }, content)}`,
  )
}

function createdView(seen: SettingsSeen, { id }: CiRunner, runnerToken: string): View {
  const main = html`
    <div class="notice" role="status"><p>${say.runnerCreated(id)}</p></div>
    ${commandsOfCreated(seen.app.config.url, runnerToken)}
  `
  return { ...formView(seen, t`Runner #${id}`, main), status: 201 }
}

async function editView(seen: SettingsSeen & { runner: CiRunner }, typed: Typed): Promise<View> {
  const { app, place, token, runner, user } = seen
  const projects = runner.kind === 'project' ? (await projectIdsOf(app.db, runner.id)).length : 0
  const address = `${settingsAddress(place)}/runners/${runner.id}`
  const isShared = projects > 1
  const removal =
    (!isShared || user.admin) &&
    dangerous(
      t`Remove the runner`,
      html`
        <p>${say.runnerRemoval}</p>
        ${form({ action: `${address}/delete`, token, submit: t`Remove the runner`, kind: 'danger' }, html``)}
      `,
    )
  const main = html`
    ${factsOf(runner)}${form({ action: address, token, submit: t`Save the runner` }, fieldsOf(runner, typed))}
    <div class="actions">
      ${postButton(runner.active ? t`Pause` : t`Resume`, { action: `${address}/paused`, token, fields: { paused: String(runner.active) } })}
      ${place.kind === 'project' && isShared && postButton(t`Disable for this project`, { action: `${address}/disable`, token })}
    </div>
    ${isShared && html`<p class="hint">It is enabled for ${count(projects, 'project')}.</p>`}
    ${removal}
  `
  return formView(seen, t`Runner #${runner.id}`, main)
}

function fieldsOf(runner: Shown, typed: Typed): Html {
  const yes = (is: boolean) => (is ? 'true' : 'false')
  const { description, tags, run_untagged, locked, access_level, maximum_timeout_s, maintenance_note } = runner
  const names = ['description', 'tag_list', 'maximum_timeout', 'maintenance_note']
  return html`${problemsOf(typed.errors, names)}${field(t`Description`, 'description', typed, { value: description ?? '' })}${field(
    t`Tags`,
    'tag_list',
    typed,
    {
      value: (JSON.parse(tags) as string[]).join(', '),
      hint: say.tagsHint,
    },
  )}${checkbox(t`Jobs without tags`, 'run_untagged', typed, { value: yes(run_untagged), hint: say.untaggedHint })}${checkbox(
    t`Protected`,
    'is_protected',
    typed,
    {
      value: yes(access_level === 'ref_protected'),
      hint: say.runnerProtectedHint,
    },
  )}${runner.kind === 'project' && checkbox(t`Locked`, 'locked', typed, { value: yes(locked), hint: say.lockedHint })}${field(
    t`Longest job`,
    'maximum_timeout',
    typed,
    {
      value: maximum_timeout_s === null ? '' : String(Math.ceil(maximum_timeout_s / 60)),
      hint: say.longestHint,
    },
  )}${textArea(t`Note`, 'maintenance_note', typed, { value: maintenance_note ?? '', rows: 2, hint: say.noteHint })}`
}

function formView(seen: SettingsSeen, title: string, content: Html): View {
  return formPage(seen, { title, back: [sectionAddress(seen.place, 'runners'), t`All runners`], section: 'runners' }, content)
}

/** Trigger tokens of a project: create, edit the description, take ownership, revoke. */

import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { apiUrl } from '../../../addresses/links.ts'
import type { CiTrigger } from '../../../db/tables.ts'
import {
  changeTrigger,
  createTrigger,
  deleteTrigger,
  listTriggers,
  shownToken,
  triggerManaged,
  triggersManaged,
} from '../../../features/ci/triggers/triggers.ts'
import { usersInBrief } from '../../../features/people/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, field, form, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { copyable } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { settingSentences as say } from '../sentences.ts'
import { formPage, ofProject, type ProjectSeen } from './lists.ts'
import { type SettingsSeen, sectionAddress, settingsAddress } from './places.ts'

const maxShown = 200
const fields = { description: Type.String({ maxLength: 255 }) }

const back = ({ project, level }: Pick<ProjectSeen, 'project' | 'level'>) =>
  sectionAddress({ kind: 'project', row: project, level }, 'triggers')

export const triggerPages = [
  page('GET /:project/settings/ci_cd/triggers/new', { access: triggersManaged, show: (seen) => formView(seen, null, untouched) }),
  action('POST /:project/settings/ci_cd/triggers', {
    access: triggersManaged,
    form: fields,
    async act({ app, project, access, user, sent }) {
      await createTrigger(app, project, user, { description: sent.description.trim(), expires_at: null })
      return { redirect: back(access), notice: say.triggerAdded }
    },
    again: (seen, typed) => formView(seen, null, typed),
  }),
  page('GET /:project/settings/ci_cd/triggers/:trigger_id/edit', {
    access: triggerManaged,
    show: (seen) => formView(seen, seen.trigger, untouched),
  }),
  action('POST /:project/settings/ci_cd/triggers/:trigger_id', {
    access: triggerManaged,
    form: fields,
    async act({ app, trigger, sent, ...seen }) {
      await changeTrigger(app, trigger, { description: sent.description.trim() })
      return { redirect: back(seen), notice: say.triggerChanged }
    },
    again: (seen, typed) => formView(seen, seen.trigger, typed),
  }),
  action('POST /:project/settings/ci_cd/triggers/:trigger_id/take_ownership', {
    access: triggerManaged,
    async act({ app, trigger, user, ...seen }) {
      await changeTrigger(app, trigger, { owner_id: user.id })
      return { redirect: back(seen), notice: say.triggerOwned }
    },
  }),
  action('POST /:project/settings/ci_cd/triggers/:trigger_id/delete', {
    access: triggerManaged,
    async act({ app, trigger, ...seen }) {
      await deleteTrigger(app.db, trigger.id)
      return { redirect: back(seen), notice: say.triggerDeleted }
    },
  }),
]

/** Three statements. */
export async function triggersList({ app, user, token, place }: SettingsSeen, project: LocatedProject): Promise<Html> {
  const { rows } = await listTriggers(app.db, project.id, { limit: maxShown, offset: 0 })
  const owners = await usersInBrief(
    app.db,
    rows.flatMap(({ owner_id }) => owner_id ?? []),
  )
  const address = `${settingsAddress(place)}/triggers`
  const row = (trigger: CiTrigger) => {
    const { id, description, created_at, last_used_at, owner_id } = trigger
    const owner = owners.get(owner_id ?? 0)
    const shown = shownToken(app, trigger, user)
    const name = html`<span class="unseen"> <bdi>${description}</bdi></span>`
    return html`
      <li>
        <div class="what">
          <bdi>${description}</bdi>${owner_id === user.id ? copyable(t`Token ${id}`, shown) : html` <code>${shown}…</code>`}
          <p>
            ${owner ? html`of ${person(app, owner, 16)}` : say.noOwner}, created ${ago(created_at)},
            ${last_used_at === null ? t`never used` : html`last used ${ago(last_used_at)}`}
          </p>
        </div>
        <div class="facts">
          <a class="button" href="${address}/${id}/edit">Edit${name}</a>
          ${owner_id !== user.id && postButton(html`Take ownership${name}`, { action: `${address}/${id}/take_ownership`, token })}
          ${dangerous(
            html`Revoke${name}`,
            form({ action: `${address}/${id}/delete`, token, submit: t`Revoke the token`, kind: 'danger' }, html``),
          )}
        </div>
      </li>
    `
  }
  const url = apiUrl(app.config, `projects/${project.id}/trigger/pipeline`)
  return html`
    <p class="hint">${say.triggers}</p>
    ${rows.length === 0 ? html`<p class="empty">${say.noTriggers}</p>` : html`<ul class="rows">${rows.map(row)}</ul>`}
    <p><a class="button" href="${address}/new">Create a trigger token</a></p>
    <p class="hint">${say.triggerCommand}</p>
    ${copyable(t`Command to start a pipeline`, `curl -X POST -F token=TOKEN -F ref=${project.default_branch ?? 'main'} ${url}`)}
  `
}

function formView(seen: ProjectSeen, trigger: CiTrigger | null, typed: Typed): View {
  const settings = ofProject(seen)
  const address = `${settingsAddress(settings.place)}/triggers`
  const title = trigger ? t`Edit the trigger token` : t`New trigger token`
  const content = html`
    ${problemsOf(typed.errors, ['description'])}${field(t`Description`, 'description', typed, {
      value: trigger?.description ?? '',
      required: true,
    })}
  `
  const action = trigger ? `${address}/${trigger.id}` : address
  const main = form({ action, token: seen.token, submit: trigger ? t`Save the token` : t`Create the token` }, content)
  return formPage(settings, { title, back: [back(seen), t`All trigger tokens`] }, main)
}

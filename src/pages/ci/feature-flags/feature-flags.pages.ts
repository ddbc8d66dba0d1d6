/** Feature flags of a project: seen, switched, created and deleted; and what a program needs to read them. */

import { Type } from 'typebox'
import { may } from '../../../access/permissions.ts'
import { flagsAddress } from '../../../addresses/ci.ts'
import {
  changeFlag,
  clientsReset,
  createFlag,
  flagManaged,
  flagsManaged,
  flagsSeen,
  instanceIdOf,
  listFlags,
  removeFlag,
  resetInstanceId,
  withStrategies,
} from '../../../features/ci/project-flags/project-flags.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import type { CiVisit } from '../seen.ts'
import { connectionPanel, creationPanel, flagRow, flagSentences as say } from './flags-view.ts'
import { strategyFrom } from './strategy-fields.ts'

const perPage = 50
const text = Type.String({ default: '' })

export const featureFlagPages = [
  page('GET /:project/-/feature_flags', {
    access: flagsSeen,
    query: pageNumber,
    show: ({ sent, ...visit }) => listView(visit, sent.page),
  }),
  action('POST /:project/-/feature_flags', {
    access: flagsManaged,
    form: {
      name: text,
      description: text,
      audience: oneOfDefault('default', 'userWithId', 'flexibleRollout'),
      users: text,
      percent: text,
      environments: text,
    },
    async act({ app, project, sent: { name, description, ...audience } }) {
      await createFlag(app, project.id, { name, description, active: true, strategies: [strategyFrom(audience)] })
      return { redirect: flagsAddress(project), notice: say.created(name) }
    },
    again: (visit, typed) => listView(visit, 1, typed),
  }),
  action('POST /:project/-/feature_flags/reset_instance_id', {
    access: clientsReset,
    async act({ app, project }) {
      await resetInstanceId(app, project.id)
      return { redirect: flagsAddress(project), notice: say.reset }
    },
  }),
  action('POST /:project/-/feature_flags/:feature_flag_name/switch', {
    access: flagManaged,
    form: { active: Type.Boolean() },
    async act({ app, project, flag, sent: { active } }) {
      await changeFlag(app, flag, { active })
      return { redirect: flagsAddress(project), notice: say.switched(flag.name, active) }
    },
  }),
  action('POST /:project/-/feature_flags/:feature_flag_name/delete', {
    access: flagManaged,
    async act({ app, project, flag }) {
      await removeFlag(app, flag)
      return { redirect: flagsAddress(project), notice: say.deleted(flag.name) }
    },
  }),
]

async function listView(visit: CiVisit, number: number, typed: Typed = untouched): Promise<View> {
  const { app, project, level, user, token } = visit
  const { rows, total } = await listFlags(app.db, project.id, undefined, pageFrom({ page: number, per_page: perPage }))
  const flags = await withStrategies(app.db, rows)
  const address = flagsAddress(project)
  const mayChange = !project.archived
  const connection = {
    url: `${app.config.url}/api/v4/feature_flags/unleash/${project.id}`,
    instance_id: await instanceIdOf(app, project.id),
    resets: mayChange && may('reset_flag_clients', level),
  }
  const list = html`<ul class="rows">${flags.map((flag) => flagRow(flag, { address, token, mayChange }))}</ul>`
  return projectView(
    { project, level, user, tab: 'feature_flags', showsCode: false },
    {
      title: t`Feature flags`,
      main: html`
        <h1>Feature flags</h1>
        <p class="hint">${say.introduction}</p>
        <div class="panels">
          ${mayChange && creationPanel({ address, token }, typed)}${connectionPanel({ address, token }, connection)}
        </div>
        ${flags.length === 0 ? emptyState(say.none) : list}
        ${pagesBelow(address, { page: number, per_page: perPage, total })}
      `,
    },
  )
}

/** Labels of projects and groups: one family. By name as in release 11.3, and by id or name in the path as in later releases. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { Label as LabelRow, User } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import {
  onProjectOrGroup,
  onProjectsAndGroups,
  type Place,
  type PlaceGranted,
  type PlaceKind,
  unarchivedPlace,
  usingPlace,
} from '../../../http/declare/places.ts'
import { only, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nameInPath, none, nullable } from '../../../http/parameters/schema.ts'
import { presentLabel } from './labels.present.ts'
import { listLabels } from './labels.queries.ts'
import { Label } from './labels.schema.ts'
import {
  changeLabel,
  createLabel,
  describeLabels,
  findLabel,
  findOwnLabel,
  labelPlace,
  removeLabel,
  subscribeToLabel,
} from './labels.service.ts'
import { promoteLabel, reportersOfGroup } from './promotion.ts'

const inPath = { label_id: nameInPath('Id or name of the label') }

const label = nested(inPath, async ({ place }: PlaceGranted & SignedIn, { label_id }, app) => ({
  label: await findLabel(app.db, place, label_id),
}))
/** Grants the label for changes: a group's label can only be changed in the group. */
const ownLabel = nested(inPath, async ({ place }: PlaceGranted & SignedIn, { label_id }, app) => ({
  label: await findOwnLabel(app.db, place, label_id),
}))

const features = ['issues', 'merge_requests'] as const
const reading = (kind: PlaceKind) => usingPlace(features, onProjectOrGroup(kind, 'signed-in'))
const writing = (kind: PlaceKind) => unarchivedPlace(usingPlace(features, onProjectOrGroup(kind, 'manage_labels')))

const color = Type.String({ description: '# and six hexadecimal digits, or a colour name of CSS' })
const common = { description: Type.Optional(nullable(Type.String())) }
const priority = Type.Optional(
  nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'In a project: 0 comes first; null removes it' })),
)
const changes = { new_name: Type.Optional(Type.String()), color: Type.Optional(color), ...common }

const changing = ['new_name', 'color', 'description', 'priority'] as const

const family = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/labels`, {
    summary: `List the labels of a ${kind} and of the groups above it`,
    access: reading(kind),
    query: {
      search: Type.String({ default: '', description: 'Part of the name' }),
      include_ancestor_groups: Type.Boolean({ default: true }),
      with_counts: Type.Optional(Type.Boolean({ description: 'Counts are always given' })),
      include_descendant_groups: Type.Boolean({ default: false, description: 'In a group: also labels of the groups below' }),
      only_group_labels: Type.Boolean({ default: true, description: 'In a group: no labels of projects' }),
    },
    item: Label,
    async handle({ app, user, place, query, page }) {
      const { include_ancestor_groups, include_descendant_groups, only_group_labels } = query
      const reach = include_ancestor_groups ? 'inherited' : 'own'
      const below = { viewer: user, descendants: include_descendant_groups, projects: !only_group_labels }
      const isAlone = !below.descendants && !below.projects
      const { rows, total } = await listLabels(app.db, labelPlace(place), reach, query.search, page, isAlone ? null : below)
      return { rows: (await describeLabels(app, place, user, rows)).map(presentLabel), total }
    },
  }),
  endpoint(`GET /${kind}s/:id/labels/:label_id`, {
    summary: `Get a label of a ${kind}`,
    access: within(reading(kind), label),
    reply: Label,
    handle: ({ app, user, place, label }) => present(app, place, user, label),
  }),
  endpoint(`POST /${kind}s/:id/labels`, {
    summary: `Create a label in a ${kind}`,
    access: writing(kind),
    body: { name: Type.String(), color, ...common, priority },
    reply: Label,
    fails: ['conflict'],
    async handle({ app, user, place, body: { name, ...fields } }) {
      return present(app, place, user, await createLabel(app, place, { title: name, ...fields }))
    },
  }),
  endpoint(`PUT /${kind}s/:id/labels`, {
    summary: `Update a label of a ${kind}, named in the body`,
    operationId: kind === 'project' ? 'updateProjectLabelByName' : 'updateGroupLabelByName',
    access: writing(kind),
    body: { name: Type.String(), ...changes, priority },
    atLeastOne: changing,
    reply: Label,
    async handle({ app, user, place, body: { name, new_name, ...fields } }) {
      const own = await findOwnLabel(app.db, place, name)
      return present(app, place, user, await changeLabel(app, place, own, { title: new_name, ...fields }))
    },
  }),
  endpoint(`PUT /${kind}s/:id/labels/:label_id`, {
    summary: `Update a label of a ${kind}`,
    access: within(writing(kind), ownLabel),
    body: { ...changes, priority },
    atLeastOne: changing,
    reply: Label,
    async handle({ app, user, place, label, body: { new_name, ...fields } }) {
      return present(app, place, user, await changeLabel(app, place, label, { title: new_name, ...fields }))
    },
  }),
  endpoint(`DELETE /${kind}s/:id/labels`, {
    summary: `Delete a label of a ${kind}, named in the query`,
    operationId: kind === 'project' ? 'deleteProjectLabelByName' : 'deleteGroupLabelByName',
    access: writing(kind),
    body: { name: Type.String() },
    reply: none,
    lastChanged: async ({ app, place, body }) => (await findOwnLabel(app.db, place, body.name)).updated_at,
    async handle({ app, place, body }) {
      await removeLabel(app, await findOwnLabel(app.db, place, body.name))
      return null
    },
  }),
  endpoint(`DELETE /${kind}s/:id/labels/:label_id`, {
    summary: `Delete a label of a ${kind}`,
    access: within(writing(kind), ownLabel),
    reply: none,
    lastChanged: ({ label }) => label.updated_at,
    async handle({ app, label }) {
      await removeLabel(app, label)
      return null
    },
  }),
  ...([true, false] as const).map((subscribed) =>
    endpoint(`POST /${kind}s/:id/labels/:label_id/${subscribed ? 'subscribe' : 'unsubscribe'}`, {
      summary: `${subscribed ? 'Subscribe to' : 'Unsubscribe from'} a label of a ${kind}`,
      access: within(reading(kind), label),
      reply: Label,
      fails: ['not_modified'],
      async handle({ app, user, place, label }) {
        await subscribeToLabel(app, place, user, label, subscribed)
        return present(app, place, user, label)
      },
    }),
  ),
])

export const labels = [
  ...family,
  endpoint('PUT /projects/:id/labels/:label_id/promote', {
    summary: 'Turn a label of a project into one of its group, with those of the same name in its other projects',
    access: only(within(writing('project'), ownLabel), reportersOfGroup),
    reply: Label,
    handle: async ({ app, user, place, label }) => present(app, place, user, await promoteLabel(app, place, label)),
  }),
]

async function present(app: App, place: Place, user: User, label: LabelRow) {
  const [seen] = await describeLabels(app, place, user, [label])
  return presentLabel(seen as NonNullable<typeof seen>)
}

/** Resource events: changes of labels, milestones and states of noteables (spec 4.17). */
import type { Selectable } from 'kysely'
import type { TObject } from 'typebox'
import type { App } from '../../../app.ts'
import type { IssuableName, Tables, User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, type Presented } from '../../../http/parameters/schema.ts'
import { type Issuable, issuableKinds, type NoteableGranted, type NoteableKind } from '../../noteable-kinds.ts'
import { presentLabelEvents, presentMilestoneEvents, presentStateEvents } from './resource-events.present.ts'
import { type ChangeTable, findChange, listChanges } from './resource-events.queries.ts'
import { LabelEvent, MilestoneEvent, StateEvent } from './resource-events.schema.ts'

interface Kind<T extends ChangeTable, S extends TObject> {
  name: 'label' | 'milestone' | 'state'
  table: T
  item: S
  present: (app: App, reader: User, noteable: Issuable, rows: Array<Selectable<Tables[T]>>) => Promise<Array<Presented<S>>>
}

function eventsOf<T extends ChangeTable, S extends TObject>(
  { path, label, access }: NoteableKind<IssuableName>,
  { name, table, item, present }: Kind<T, S>,
): Endpoint[] {
  const base = `projects/:id/${path}/resource_${name}_events` as const
  const event = nested(
    { [`resource_${name}_event_id`]: Id } as Record<string, typeof Id>,
    async ({ noteable }: NoteableGranted<IssuableName>, params, app) => {
      const found = await findChange(app.db, table, noteable, Number(params[`resource_${name}_event_id`]))
      if (!found) throw notFound(`Resource ${name} event`)
      return { event: found }
    },
  )
  return [
    listEndpoint(`GET /${base}`, {
      summary: `List the ${name} events of ${label}`,
      access,
      item,
      async handle({ app, user, noteable, page }) {
        const { rows, total } = await listChanges(app.db, table, noteable, page)
        return { rows: await present(app, user, noteable, rows), total }
      },
    }),
    endpoint(`GET /${base}/:resource_${name}_event_id`, {
      summary: `Get a ${name} event of ${label}`,
      access: within(access, event),
      reply: item,
      async handle({ app, user, noteable, event }) {
        const [presented] = await present(app, user, noteable, [event])
        return presented as NonNullable<typeof presented>
      },
    }),
  ]
}

function resourceEventsOn(on: NoteableKind<IssuableName>): Endpoint[] {
  return [
    ...eventsOf(on, { name: 'label', table: 'label_events', item: LabelEvent, present: presentLabelEvents }),
    ...eventsOf(on, { name: 'milestone', table: 'milestone_events', item: MilestoneEvent, present: presentMilestoneEvents }),
    ...eventsOf(on, { name: 'state', table: 'state_events', item: StateEvent, present: presentStateEvents }),
  ]
}

export const resourceEvents = issuableKinds.flatMap(resourceEventsOn)

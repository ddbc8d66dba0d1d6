/** Activity events: one's own, those of a user, those of a project (spec 4.20). */
import { type Static, Type } from 'typebox'
import { seesAllEvents } from '../../../access/events.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { listEndpoint } from '../../../http/declare/endpoint.ts'
import { anyone, type Granted, only, project, signedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { readLooseDay } from '../../../http/parameters/days.ts'
import { nameInPath, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import type { Page } from '../../../http/reply/page.ts'
import { seesUsers } from '../../people/users/users.ts'
import { presentEvent } from './events.present.ts'
import type { EventScope } from './events.queries.ts'
import { Event } from './events.schema.ts'
import { findEvents } from './events.service.ts'

/** Types of unsupported features are accepted, but match nothing. */
const targetTypes = {
  issue: 'Issue',
  milestone: 'Milestone',
  merge_request: 'MergeRequest',
  note: 'Note',
  project: 'Project',
  snippet: 'Snippet',
  user: 'User',
  wiki: 'WikiPage',
} as const

const query = {
  action: Type.Optional(
    oneOf('created', 'updated', 'closed', 'reopened', 'pushed', 'commented', 'merged', 'joined', 'left', 'destroyed', 'expired'),
  ),
  target_type: Type.Optional(oneOf(...(Object.keys(targetTypes) as Array<keyof typeof targetTypes>))),
  before: Type.Optional(Type.String({ description: 'A day in UTC, as 2001-02-03: events before that day' })),
  after: Type.Optional(Type.String({ description: 'A day in UTC, as 2001-02-03: events after that day' })),
  sort: oneOfDefault('desc', 'asc'),
}
type Query = Static<Type.TObject<typeof query>>

const namedUser = nested({ id: nameInPath('Id or username') }, async (_: Granted, { id }, app) => {
  const owner = await findUser(app.db, id)
  if (!owner) throw notFound('User')
  return { owner }
})

export const events = [
  listEndpoint('GET /events', {
    summary: 'List the events that the current user caused',
    access: signedIn(),
    scopes: ['read_user'],
    query,
    item: Event,
    handle: ({ app, user, query, page }) => list(app, user, { author_id: user.id }, query, page),
  }),
  listEndpoint('GET /users/:id/events', {
    summary: 'List the events that a user caused, where the caller sees them',
    access: within(
      only(
        anyone(),
        seesUsers(() => notFound('User')),
      ),
      namedUser,
    ),
    scopes: ['read_user'],
    query,
    item: Event,
    async handle({ app, user, owner, query, page }) {
      if (isPrivate(owner, user)) return { rows: [], total: 0 }
      return list(app, user, { author_id: owner.id }, query, page)
    },
  }),
  listEndpoint('GET /projects/:id/events', {
    summary: 'List the events of a project that the caller sees',
    access: project('visible'),
    query,
    item: Event,
    handle({ app, user, project, access, query, page }) {
      const seesAll = seesAllEvents(access, user)
      return list(app, user, { project_id: project.id, seesAll }, query, page)
    },
  }),
]

async function list(app: App, viewer: User | null, scope: EventScope, query: Query, page: Page) {
  const { action, target_type, sort, before, after } = query
  const conditions = {
    action,
    target_type: target_type && targetTypes[target_type],
    before: before === undefined ? undefined : readLooseDay('before', before),
    after: after === undefined ? undefined : readLooseDay('after', after),
    sort,
  }
  const { rows, total } = await findEvents(app, viewer, scope, conditions, page)
  return { rows: rows.map((row) => presentEvent(app.config, row)), total }
}

/** The activity of a private profile is only visible to its owner and administrators. */
function isPrivate(owner: User, viewer: User | null): boolean {
  return owner.private_profile && !viewer?.admin && viewer?.id !== owner.id
}

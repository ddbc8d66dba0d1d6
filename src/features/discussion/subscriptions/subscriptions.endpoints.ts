/** Subscriptions to noteables (spec 2.4): an explicit choice of the user, which overrides what follows from participation. */
import type { TObject } from 'typebox'
import type { App } from '../../../app.ts'
import type { IssuableName, User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { type Endpoint, endpoint } from '../../../http/declare/endpoint.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Noteable, NoteableKind } from '../../noteable-kinds.ts'
import { Issue } from '../../planning/issues/issues.schema.ts'
import { type DescribedIssue, describeIssues, issueKind, presentIssue } from '../../planning/issues/issues.ts'
import { setSubscription } from './subscriptions.service.ts'

/** How a kind presents the noteable in the reply. */
interface Form<N extends IssuableName, S extends TObject> {
  reply: S
  present: (app: App, user: User, noteable: Noteable<N>, subscribed: boolean) => Promise<Presented<S>>
}

/** Like a todo, a subscription belongs to the user and doesn't change the project, so an archived project permits it. */
export function subscriptionsOn<N extends IssuableName, S extends TObject>(
  { path, label, access }: NoteableKind<N>,
  { reply, present }: Form<N, S>,
): Endpoint[] {
  return ([true, false] as const).map((subscribed) =>
    endpoint(`POST /projects/:id/${path}/${subscribed ? 'subscribe' : 'unsubscribe'}`, {
      summary: `${subscribed ? 'Subscribe to' : 'Unsubscribe from'} ${label}`,
      access,
      reply,
      fails: ['not_modified'],
      async handle({ app, user, noteable }) {
        const hasChanged = await setSubscription(app, user, noteable, subscribed)
        if (!hasChanged) throw new Failure('not_modified', '304 Not Modified')
        return present(app, user, noteable, subscribed)
      },
    }),
  )
}

export const subscriptions = subscriptionsOn(issueKind, {
  reply: Issue,
  async present(app, user, { row, project }, subscribed) {
    const [described] = await describeIssues(app.db, user, [row])
    return presentIssue(app.config, described as DescribedIssue, { within: project.id, subscribed })
  },
})

/** Subscriptions to what is discussed (spec 2.4): a choice of the user, which wins over what follows from taking part. */
import type { TObject } from 'typebox'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { type Endpoint, endpoint } from '../../../http/declare/endpoint.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { Issue } from '../../planning/issues/issues.schema.ts'
import { type DescribedIssue, describeIssues, presentIssue } from '../../planning/issues/issues.ts'
import { type IssuablePath, type NoteableAt, noteableIn, noteableKinds } from '../noteables/noteables.ts'
import { setSubscription } from './subscriptions.service.ts'

/** What is replied of a kind: itself, as it is when one is asked for. */
interface Form<P extends IssuablePath, S extends TObject> {
  reply: S
  present: (app: App, user: User, noteable: NoteableAt<P>, subscribed: boolean) => Promise<Presented<S>>
}

/** Like a todo, a subscription is the user's own and changes nothing of the project: an archived one permits it. */
export function subscriptionsOn<P extends IssuablePath, S extends TObject>(path: P, { reply, present }: Form<P, S>): Endpoint[] {
  const { path: address, label } = noteableKinds[path]
  return ([true, false] as const).map((subscribed) =>
    endpoint(`POST /projects/:id/${address}/${subscribed ? 'subscribe' : 'unsubscribe'}`, {
      summary: `${subscribed ? 'Subscribe to' : 'Unsubscribe from'} ${label}`,
      access: noteableIn(path, 'signed-in'),
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

export const subscriptions = subscriptionsOn('issues', {
  reply: Issue,
  async present(app, user, { row, project }, subscribed) {
    const [described] = await describeIssues(app.db, user, [row])
    return presentIssue(app.config, described as DescribedIssue, { within: project.id, subscribed })
  },
})

/**
 * Access to what is nested in a project, group or user: a branch, a badge, an SSH key. The rule loads it, not the handler, so that a
 * missing thing is 404 before the body is read and before a malformed body is 400. Services contain domain rules; the declaration says who
 * may call, where documentation and tests can see it.
 */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { requireUser } from '../../access/users.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { validator } from '../parameters/validate.ts'
import type { Access, Granted } from './rules.ts'

/** How a path names a thing inside of what a rule granted, and how it is loaded. */
export interface Nested<Outer, P extends TProperties, Inner> {
  /** Schemas of its path parameters. */
  params: P
  /** Throws 404 if it doesn't exist there: it must be looked up under the outer thing, never by its id alone. */
  load: Load<Outer, P, Inner>
}

type Load<Outer, P extends TProperties, Inner> = (
  outer: Outer,
  params: Record<string, string> & Static<TObject<P>>,
  app: App,
) => Promise<Inner> | Inner

/**
 * @example
 * const issue = nested({ issue_iid: Id }, async ({ project }: ProjectGranted, { issue_iid }, app) => ({
 *   issue: await requireIssue(app.db, project.id, issue_iid),
 * }))
 */
export function nested<Outer, P extends TProperties, Inner>(params: P, load: Load<Outer, P, Inner>): Nested<Outer, P, Inner> {
  return { params, load }
}

/**
 * The rule, also granting the nested thing. In this order: refusals of the rule, 400 for a malformed path parameter, 404 if the nested
 * thing doesn't exist.
 */
export function within<G extends Granted, P extends TProperties, Inner extends object>(
  rule: Access<G>,
  { params, load }: Nested<G, P, Inner>,
): Access<G & Inner> {
  const read = validator(params)
  return {
    ...rule,
    params: { ...rule.params, ...params },
    async grant(request) {
      const outer = await rule.grant(request)
      return { ...outer, ...(await load(outer, { ...request.params, ...read(request.params) }, request.app)) }
    },
  }
}

/** The id of a user in a path. Declared as text, so that anything but a number is 404 rather than 400. */
const UserNumber = Type.String({ description: 'Number of the user' })

/** Grants the user whose id is in `:id`, as `owner`. */
export const userById = nested(
  { id: UserNumber },
  async (_: Granted, { id }, app): Promise<{ owner: User }> => ({
    owner: await requireUser(app.db, id),
  }),
)

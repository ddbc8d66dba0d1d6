/**
 * Access to what is nested in a project, a group or a user: a branch, a badge, an SSH key.
 *
 * Loaded by the rule and not by the handler, so a missing thing is 404 before the body is read, and before a malformed body is 400. Services keep
 * rules of the domain; who may call stands in the declaration, where documentation and tests see it.
 */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { requireUser } from '../../access/users.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { validator } from '../parameters/validate.ts'
import type { Access, Granted } from './rules.ts'

/** How the path names a thing in what a rule granted, and how it is loaded. */
export interface Nested<Outer, P extends TProperties, Inner> {
  /** Schemas of its parameters of the path. */
  params: P
  /** Throws 404 where it isn't in there: looks it up under the outer thing, never by its own id alone. */
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
 * The rule, granting also what is nested in what it grants. In this order: the refusals of the rule, 400 for a malformed parameter
 * of the nested thing, 404 where it isn't there.
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

/** The number of a user in a path. As text: what is no number is not found, rather than malformed. */
const UserNumber = Type.String({ description: 'Number of the user' })

/** The user whose number is in `:id`, as `owner`. */
export const userById = nested(
  { id: UserNumber },
  async (_: Granted, { id }, app): Promise<{ owner: User }> => ({
    owner: await requireUser(app.db, id),
  }),
)

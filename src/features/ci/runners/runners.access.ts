/** Access to a runner is for users who manage its project, group or instance. Instance runners are visible to all signed-in users. */
import type { CiRunner } from '../../../db/tables.ts'
import { forbidden, missing } from '../../../failure.ts'
import { type Condition, only, type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { isManagedBy, runnerById } from './runners.queries.ts'

type OnRunner = SignedIn & { runner: CiRunner }

const runnerInPath = nested({ id: Id }, async (_: SignedIn, { id }, app) => {
  const runner = await runnerById(app.db, id)
  if (!runner) throw missing()
  return { runner }
})

const manages: Condition<OnRunner> = {
  description: 'administrators, maintainers of a project of the runner, and owners of its group',
  holds: ({ user, runner }, { app }) => user.admin || isManagedBy(app.db, user, runner.id),
  refusal: () => forbidden('No access granted'),
}

const isShared: Condition<OnRunner> = {
  description: 'of a runner of the instance everybody',
  holds: ({ runner }) => runner.kind === 'instance',
}

/** Grants the runner in `:id`, as `runner`, to users who may see it. */
export const seenRunner = () => only(within(signedIn(), runnerInPath), isShared, manages)

/** `seenRunner`, narrowed to users who may change the runner. */
export const managedRunner = () => only(within(signedIn(), runnerInPath), manages)

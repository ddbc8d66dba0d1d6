/** Endpoints for runners themselves: register, verify and delete. */
import { Type } from 'typebox'
import { digestOf } from '../../../access/tokens.ts'
import { now } from '../../../db/instants.ts'
import { missing } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { registrar, runnerByToken } from '../../../http/declare/machines.ts'
import { none, oneOf, text } from '../../../http/parameters/schema.ts'
import { parseSince, requireUnmodified } from '../../../http/reply/preconditions.ts'
import { noteContact, RunnerInfo, systemId } from './contacts.service.ts'
import { registerRunner } from './registration.service.ts'
import { accessLevels } from './rules.ts'
import { deleteManager, deleteRunner, updateRunner } from './runners.queries.ts'
import { NewRunnerToken, ResetToken } from './runners.schema.ts'
import { newRunnerToken } from './tokens.service.ts'

const token = Type.String({ description: 'The token of the runner' })
const info = Type.Optional(RunnerInfo)

export const runnerRegistration = [
  endpoint('POST /runners', {
    summary: 'Register a runner',
    operationId: 'registerRunner',
    access: registrar(),
    body: {
      token: Type.String({ description: 'The registration token of the instance, a group or a project' }),
      description: Type.Optional(Type.String()),
      maintenance_note: Type.Optional(Type.String()),
      info,
      active: Type.Optional(Type.Boolean({ description: 'Whether it gets jobs' })),
      paused: Type.Optional(Type.Boolean({ description: 'The opposite of `active`' })),
      locked: Type.Optional(Type.Boolean({ description: 'Whether it can be enabled for no other project' })),
      access_level: Type.Optional(oneOf(...accessLevels)),
      run_untagged: Type.Optional(Type.Boolean({ description: 'Whether it runs jobs without tags' })),
      tag_list: Type.Optional(Type.Array(Type.String(), { description: 'Tags, in a list or separated by commas' })),
      maximum_timeout: Type.Optional(Type.Integer({ maximum: 2_147_483_647, description: 'In seconds, of a job; at least 600' })),
    },
    reply: NewRunnerToken,
    async handle({ app, ip, registers, body: { token: _, info, ...sent } }) {
      // Agents send 0 for no timeout, and an empty string for no access level.
      const fields = { ...sent, maximum_timeout: sent.maximum_timeout || null }
      const { runner, token: fresh } = await registerRunner(app, registers, fields, { info, ip })
      return { id: runner.id, token: fresh, token_expires_at: runner.token_expires_at }
    },
  }),
  endpoint('DELETE /runners', {
    summary: 'Delete a runner, by its token',
    operationId: 'deleteRunnerByToken',
    access: runnerByToken(),
    body: { token },
    reply: none,
    fails: ['unmodified_since'],
    async handle({ app, headers, runner }) {
      const since = parseSince(headers['if-unmodified-since'])
      if (since) requireUnmodified(since, runner.updated_at)
      await deleteRunner(app.db, runner.id)
      return null
    },
  }),
  endpoint('DELETE /runners/managers', {
    summary: 'Delete a machine of a runner, by the token of the runner',
    operationId: 'deleteRunnerManagerByToken',
    access: runnerByToken(),
    body: { token, system_id: text(255) },
    reply: none,
    async handle({ app, runner, body }) {
      if (!(await deleteManager(app.db, runner.id, body.system_id))) throw missing()
      return null
    },
  }),
  endpoint('POST /runners/verify', {
    summary: 'Check the token of a runner',
    operationId: 'verifyRunner',
    access: runnerByToken(),
    body: { token, system_id: systemId, info },
    status: 200,
    reply: NewRunnerToken,
    async handle({ app, ip, runner, body }) {
      await noteContact(app.db, runner, { info: body.info, ip, system_id: body.system_id })
      return { id: runner.id, token: body.token, token_expires_at: runner.token_expires_at }
    },
  }),
  endpoint('POST /runners/reset_authentication_token', {
    summary: 'Replace the token of a runner, by its token',
    operationId: 'resetOwnRunnerToken',
    access: runnerByToken(),
    body: { token },
    reply: ResetToken,
    async handle({ app, runner, body }) {
      const fresh = newRunnerToken(body.token.startsWith('glrt-') ? 'created' : 'registered')
      await updateRunner(app.db, runner.id, { token_digest: digestOf(fresh), updated_at: now() })
      return { token: fresh, token_expires_at: runner.token_expires_at }
    },
  }),
]

/** Access rules for machines, which have a token of their own and no user. */
import type { RegistersFor } from '../../access/principals.ts'
import type { CiRunner } from '../../db/tables.ts'
import { forbidden } from '../../failure.ts'
import { type Access, anyone, type Granted } from './rules.ts'

/**
 * Machines with a job or trigger token, which the handler must check: it throws 403 or 404 for a wrong one.
 * @param who for the documentation: whose credential, such as `a runner, by its token`
 */
export function machines(who: string): Access<Granted> {
  const description = `${who[0]?.toUpperCase()}${who.slice(1)}.`
  return { ...anyone(), description, signedInDescription: description, own_credential: 'checked' }
}

/** Grants the runner with the token, as `runner`. */
export function runnerByToken(): Access<Granted & { runner: CiRunner }> {
  return {
    ...machines('a runner, by its token'),
    own_credential: 'runner',
    async grant({ principal }) {
      if (principal.kind !== 'runner') throw forbidden()
      return { user: null, runner: principal.runner }
    },
  }
}

/** Grants `registers`: what the registration token registers runners for. */
export function registrar(): Access<Granted & { registers: RegistersFor }> {
  return {
    ...machines('whoever has a registration token'),
    own_credential: 'registrar',
    async grant({ principal }) {
      if (principal.kind !== 'registrar') throw forbidden()
      return { user: null, registers: principal.registers }
    },
  }
}

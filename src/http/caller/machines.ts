/** Authenticates machines whose token is a parameter: runners, and clients that register them. */
import { Type } from 'typebox'
import type { Registrar, RunnerHolder } from '../../access/principals.ts'
import { findRegistration } from '../../access/runners/registration-tokens.ts'
import { findRunner } from '../../access/runners/runners.ts'
import type { Db } from '../../db/database.ts'
import { forbidden } from '../../failure.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { validator } from '../parameters/validate.ts'

type Credential = Endpoint['access']['own_credential']
type Token = Exclude<Credential, 'checked' | undefined>

const readToken = validator({ token: Type.String() })

/** Whether the parameter `token` determines the caller, so that the body must be read first. */
export function isByToken(credential: Credential): credential is Token {
  return credential === 'runner' || credential === 'registrar'
}

/**
 * The machine with the token among the parameters. Throws 400 if there is none, and 403 for a wrong one: that status tells a runner that
 * its token was replaced.
 */
export async function authenticateMachine(db: Db, credential: Token, sent: Parameters): Promise<RunnerHolder | Registrar> {
  const { token } = readToken(sent)
  if (credential === 'runner') {
    const runner = await findRunner(db, token)
    if (runner) return { kind: 'runner', runner }
  } else {
    const registers = await findRegistration(db, token)
    if (registers) return { kind: 'registrar', registers }
  }
  throw forbidden()
}

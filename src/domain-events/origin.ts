/**
 * The origin of a change: who sent the request that makes it, with which credential, and from which address. Set once per request, and read
 * by subscribers that record it. An actor in every event would burden services that don't need one, and could differ from who sent the
 * request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Principal, userOf } from '../access/principals.ts'
import type { User } from '../db/tables.ts'

type Named = Pick<User, 'id' | 'username'>

export interface Origin {
  /** The person who sent the request: under sudo and impersonation the administrator. Null for anonymous callers and machines. */
  author: Named | null
  /** The user as whom they act, if that is another. */
  acts_as: Named | null
  /** How they authenticated; null if they didn't. */
  credential: { kind: 'session' | 'token' | 'oauth' | 'job' | 'machine'; id: number | null } | null
  /** IP address of the client; null outside of requests. */
  address: string | null
  /** The header `User-Agent` of the request; empty if it had none. */
  user_agent: string
}

const origins = new AsyncLocalStorage<Origin>()

/** Runs `work`, whose changes have this origin. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return origins.run(origin, work)
}

/** Null for changes that no request makes: those of jobs and of the command line. */
export function currentOrigin(): Origin | null {
  return origins.getStore() ?? null
}

export function originOf(principal: Principal, address: string, user_agent = ''): Origin {
  const user = userOf(principal)
  const named = user && nameOf(user)
  if (principal.kind === 'sudo')
    return { author: nameOf(principal.sudoer), acts_as: named, credential: { kind: 'token', id: null }, address, user_agent }
  const impersonator = principal.kind === 'person' ? (principal.impersonator ?? null) : null
  return { author: impersonator ?? named, acts_as: impersonator ? named : null, credential: credentialOf(principal), address, user_agent }
}

function nameOf({ id, username }: Named): Named {
  return { id, username }
}

function credentialOf(principal: Principal): Origin['credential'] {
  switch (principal.kind) {
    case 'anonymous':
      return null
    case 'person':
      return { kind: 'session', id: null }
    case 'token':
      return { kind: 'token', id: principal.token_id }
    case 'oauth':
      return { kind: 'oauth', id: principal.token.application_id }
    case 'job':
      return { kind: 'job', id: principal.job.id }
    default:
      return { kind: 'machine', id: null }
  }
}

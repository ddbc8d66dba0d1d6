/**
 * Where a change comes from: who sent the request that makes it, by which credential, and from which address. Set once for each request, and read
 * by subscribers that record it: an actor in every event would name a caller to each service that doesn't need one, and could be another than who
 * sent the request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Principal, userOf } from '../access/principals.ts'
import type { User } from '../db/tables.ts'

type Named = Pick<User, 'id' | 'username'>

export interface Origin {
  /** The person at the other end: under sudo and in an impersonation the administrator. Null for strangers and machines. */
  author: Named | null
  /** The user whose rights they use, where that is another. */
  acts_as: Named | null
  /** What they signed in with; null for nothing. */
  credential: { kind: 'session' | 'token' | 'oauth' | 'job' | 'machine'; id: number | null } | null
  /** The network address of the client; null outside of requests. */
  address: string | null
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

export function originOf(principal: Principal, address: string): Origin {
  const user = userOf(principal)
  const named = user && nameOf(user)
  if (principal.kind === 'sudo')
    return { author: nameOf(principal.sudoer), acts_as: named, credential: { kind: 'token', id: null }, address }
  const impersonator = principal.kind === 'person' ? (principal.impersonator ?? null) : null
  return { author: impersonator ?? named, acts_as: impersonator ? named : null, credential: credentialOf(principal), address }
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

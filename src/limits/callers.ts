/** Whose work is counted together by limits and fair queues: that of one user, or of one network where nobody has signed in. */
import { networkOf } from './network.ts'

export function userKey({ id }: { id: number }): string {
  return `user:${id}`
}

export function addressKey(address: string): string {
  return `address:${networkOf(address)}`
}

/** @param address of the client */
export function callerOf(user: { id: number } | null, address = ''): string {
  return user ? userKey(user) : addressKey(address)
}

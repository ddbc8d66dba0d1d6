/** The key under which limits and fair queues count work: a user, or the network of an anonymous client. */
import { networkOf } from './network.ts'

export function userKey({ id }: { id: number }): string {
  return `user:${id}`
}

export function addressKey(address: string): string {
  return `address:${networkOf(address)}`
}

/** @param address IP address of the client */
export function callerOf(user: { id: number } | null, address = ''): string {
  return user ? userKey(user) : addressKey(address)
}

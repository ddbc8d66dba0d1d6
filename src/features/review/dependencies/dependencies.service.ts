/** Rules of merge requests that wait for others: any two that somebody sees, and never in a circle. */
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { MergeRequest, MergeRequestBlock, User } from '../../../db/tables.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { blockersOf, countAt, insertBlock, lockAll, visibleAmong } from './dependencies.queries.ts'

/** At each end. */
const maxBlocks = 100
const unprocessable = (reason: string) => new Failure('unprocessable', reason)
/** All that one waits for, directly or not. */
const maxChain = 1_000

/**
 * Lets the one wait until the other is merged. Throws 403 if the caller can't see the other, 409 if it waits for it already, 422 for a circle
 * and where there are too many.
 */
export async function addBlock(app: App, user: User, blocked: MergeRequest, blockingId: number): Promise<MergeRequestBlock> {
  const seen = await visibleAmong(app.db, user, [blockingId])
  if (!seen.has(blockingId)) throw forbidden('Lacking permissions to the blocking merge request')
  if (blockingId === blocked.id) throw unprocessable('A merge request cannot block itself')
  return inTransaction(app.db, async (tx) => {
    await assertNoCircle(tx, blocked.id, blockingId)
    if (
      (await countAt(tx, 'blocked_merge_request_id', blocked.id)) >= maxBlocks ||
      (await countAt(tx, 'blocking_merge_request_id', blockingId)) >= maxBlocks
    )
      throw unprocessable(`A merge request can block, and be blocked by, at most ${maxBlocks} others`)
    return insertBlock(tx, blockingId, blocked.id).catch((error: unknown) => {
      throw isUniqueViolation(error) ? new Failure('conflict', 'Block already exists', { cause: error }) : error
    })
  })
}

/**
 * Locks both ends and all that the blocking one waits for. Whoever would complete a circle at the same time locks one of these, too, so what
 * was found is read again until nothing is new.
 */
async function assertNoCircle(tx: Tx, blockedId: number, blockingId: number): Promise<void> {
  let known = 0
  let chain = await chainOf(tx, blockingId)
  while (chain.size > known) {
    if (chain.has(blockedId)) throw unprocessable('The merge requests would wait for each other')
    known = chain.size
    await lockAll(tx, [...chain, blockedId])
    chain = await chainOf(tx, blockingId)
  }
  if (chain.has(blockedId)) throw unprocessable('The merge requests would wait for each other')
}

/** It and all that it waits for, directly or not. A statement for each step. */
async function chainOf(tx: Tx, id: number): Promise<Set<number>> {
  const chain = new Set([id])
  for (let step = [id]; step.length > 0; ) {
    step = (await blockersOf(tx, step)).filter((one) => !chain.has(one))
    for (const one of step) chain.add(one)
    if (chain.size > maxChain) throw unprocessable(`A merge request can wait for at most ${maxChain} others`)
  }
  return chain
}

/** Columns of boards in forms: `open`, `closed`, or the id of a list. */

import type { App } from '../../../app.ts'
import type { Board } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { type ColumnName, findList } from '../../../features/planning/boards/boards.ts'
import { t, translated } from '../../../html/sentences.ts'

/** Throws 400 if it is invalid. */
export function columnIn(sent: string): ColumnName {
  if (sent === 'open' || sent === 'closed') return sent
  const id = Number(sent)
  if (!Number.isSafeInteger(id) || id < 1) throw invalid(t`column is invalid`)
  return id
}

export const impliedColumns = translated({ open: 'Open', closed: 'Closed' } as const)

export async function labelOfColumn(app: App, board: Board, name: ColumnName): Promise<string> {
  return typeof name === 'number' ? (await findList(app.db, board, name)).label.title : impliedColumns[name]
}

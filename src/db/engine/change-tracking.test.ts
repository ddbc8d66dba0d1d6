/** The tables that statements touch are told without reading the schema, unless it has a say: a migration changes it hundreds of times. */
import BetterSqlite3 from 'better-sqlite3'
import { expect, test, vi } from 'vitest'
import { watchChanges } from './change-tracking.ts'

test('the schema is read for updates and deletions alone, once until it changes', () => {
  const connection = new BetterSqlite3(':memory:')
  const changes = watchChanges(connection)
  const prepared = vi.spyOn(connection, 'prepare')
  for (let index = 0; index < 50; index += 1) {
    const statement = `create table "t${index}" (id integer primary key, name text, parent integer references "t0" on delete cascade)`
    expect(changes.touchedBy(statement)).toBeNull()
    connection.exec(statement)
    expect(changes.touchedBy(`insert into "t${index}" ("name") values (?)`)).toEqual([`t${index}.+`])
  }
  expect(prepared).not.toHaveBeenCalled()

  expect(changes.touchedBy('update "t0" set "name" = ?')).toEqual(['t0.name'])
  expect(changes.touchedBy('delete from "t0" where "id" = ?')).toEqual(expect.arrayContaining(['t0', 't1', 't49']))
  const reads = prepared.mock.calls.length
  expect(changes.touchedBy('delete from "t1" where "id" = ?')).toEqual(['t1'])
  expect(prepared.mock.calls.length).toBe(reads)

  connection.exec('alter table "t0" add column "title" text')
  expect(changes.touchedBy('update "t0" set "title" = ?')).toEqual(['t0.title'])
  connection.close()
})

/** On PostgreSQL, counts the writes to tables that lists are read from, so that a list stays cached while other tables are written. */
import { type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'

interface Watched {
  /**
   * Changes of only these columns don't count: a query that reads one of them counts as reading an untracked table (`tablesIn` in
   * db/write-counters.ts).
   */
  except?: string[]
  /** Counted by rows rather than by statements, for tables whose statements often match no row. */
  perRow?: true
}

const ofText = ['updated_at', 'last_edited_at', 'last_edited_by_id', 'user_notes_count', 'upvotes', 'downvotes']
const ofProject = ['updated_at', 'last_activity_at', 'star_count', 'forks_count', 'open_issues_count', 'commit_count', 'push_count']
const sizes = ['repository_size', 'lfs_objects_size', 'wiki_size', 'snippets_size']
const ofMerging = ['merge_status', 'checked_source_oid', 'checked_target_oid', 'merge_under_way', 'merge_error', 'rebase_oid']

/** The tables whose writes add to each counter. */
const counters: Record<string, Record<string, Watched>> = {
  spaces: {
    projects: { except: [...ofProject, ...sizes, 'readme_path'] },
    namespaces: {},
    namespace_ancestors: {},
    members: {},
    group_shares: {},
    routes: {},
    list_counts: {},
  },
  people: { users: { except: ['current_sign_in_at', 'last_sign_in_at', 'last_activity_on', 'updated_at'] } },
  issues: { issues: { except: ofText }, issue_assignees: {}, issue_counts: {} },
  merge_requests: {
    merge_requests: { except: [...ofText, ...ofMerging] },
    merge_request_assignees: {},
    merge_request_reviewers: {},
    merge_request_counts: {},
  },
  labels: { labels: {}, label_priorities: {}, milestones: {}, boards: {}, board_lists: {} },
  labelled: { issue_labels: { perRow: true }, merge_request_labels: { perRow: true } },
  todos: { todos: { perRow: true } },
  notes: { notes: {} },
  events: { events: {} },
  award_emoji: { award_emoji: {} },
  snippets: { snippets: {}, snippet_files: {} },
  code: { code_parts: {}, code_segments: {} },
}

export const writeCounters: Migration = {
  async up(db) {
    if (capabilitiesOf(db).changes) return
    await sql`create function count_write() returns trigger language plpgsql as $$ begin
      perform nextval(tg_argv[0]::regclass);
      return null;
    end $$`.execute(db)
    for (const [counter, tables] of Object.entries(counters)) {
      const sequence = `writes_to_${counter}`
      await sql`create sequence ${sql.ref(sequence)}`.execute(db)
      // Draws a number, since a sequence without any looks the same as one that has given its first.
      await sql`select nextval(${sequence}::regclass)`.execute(db)
      for (const [table, { except = [], perRow }] of Object.entries(tables)) {
        const columns = await columnsOf(table)
        const changed = except.length === 0 ? 'update' : `update of ${columns.filter((column) => !except.includes(column)).join(', ')}`
        await sql
          .raw(`create trigger ${table}_written after insert or delete or ${changed} on ${table}
            for each ${perRow ? 'row' : 'statement'} execute function count_write('${sequence}')`)
          .execute(db)
      }
    }
    // The numbers are read first, by a statement of their own: a write that they include has either ended by the time of the snapshot, or
    // is still running; then some transaction with a number has not ended (`age` counts those after the newest that has).
    const numbers = Object.keys(counters).map((counter) => `(select last_value from writes_to_${counter})`)
    await sql
      .raw(`create function written_so_far(out numbers text, out snapshot text, out is_quiet boolean) language plpgsql as $$
      declare seen pg_snapshot;
      begin
        select concat_ws(' ', extract(epoch from pg_postmaster_start_time()), ${numbers.join(', ')}) into numbers;
        seen := pg_current_snapshot();
        snapshot := seen::text;
        is_quiet := current_setting('transaction_isolation') = 'read committed'
          and pg_snapshot_xmin(seen) = pg_snapshot_xmax(seen) and age(pg_snapshot_xmax(seen)::xid) = 0;
      end $$`)
      .execute(db)

    async function columnsOf(table: string): Promise<string[]> {
      const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`.execute(db)
      return rows.map(({ name }) => name)
    }
  },
}

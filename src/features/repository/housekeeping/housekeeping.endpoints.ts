/** Housekeeping of a repository on request of maintainers (spec 4.3), and whether it is needed. */
import { Type } from 'typebox'
import { now } from '../../../db/instants.ts'
import { readHealth } from '../../../git/maintenance/repository-health.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project, unarchived, using } from '../../../http/declare/rules.ts'
import { Instant, nullable, Off, resource } from '../../../http/parameters/schema.ts'
import type { AnyJob } from '../../../queue/queue.ts'
import { dailyHousekeepingJob, housekeepingJob } from './housekeeping.jobs.ts'
import { startHousekeeping } from './housekeeping.service.ts'

const Bitmap = nullable(Type.Object({ has_hash_cache: Type.Boolean(), has_lookup_table: Type.Boolean(), version: Type.Integer() }))

const RepositoryHealth = resource('RepositoryHealth', {
  size: Type.Integer({ description: 'Of the objects, in bytes' }),
  references: Type.Object({ loose_count: Type.Integer(), packed_size: Type.Integer(), reference_backend: Type.String() }),
  objects: Type.Object({
    size: Type.Integer(),
    recent_size: Type.Integer(),
    stale_size: Type.Integer(),
    keep_size: Type.Integer(),
    packfile_count: Type.Integer(),
    reverse_index_count: Type.Integer(),
    cruft_count: Type.Integer(),
    keep_count: Type.Integer(),
    loose_objects_count: Type.Integer(),
    stale_loose_objects_count: Type.Integer({ description: 'Older than ten days' }),
    loose_objects_garbage_count: Type.Integer(),
  }),
  commit_graph: nullable(
    Type.Object({
      commit_graph_chain_length: Type.Integer(),
      has_bloom_filters: Type.Boolean(),
      has_generation_data: Type.Boolean(),
      has_generation_data_overflow: Type.Boolean(),
    }),
  ),
  bitmap: Bitmap,
  multi_pack_index: nullable(Type.Object({ packfile_count: Type.Integer(), version: Type.Integer() })),
  multi_pack_index_bitmap: Bitmap,
  alternates: Type.Null({ description: 'No repository borrows objects of another' }),
  is_object_pool: Type.Boolean({ description: 'False, for the same reason' }),
  last_full_repack: Type.Null({ description: 'Not kept' }),
  updated_at: Instant,
})

export const housekeeping = [
  endpoint('GET /projects/:id/repository/health', {
    summary: 'Get what the files of a repository tell about its health',
    access: using('repository', project('run_housekeeping')),
    query: { generate: Type.Unsafe<boolean>({ ...Off, description: 'Without an effect: the report is always a new one' }) },
    reply: RepositoryHealth,
    async handle({ repo }) {
      const { references, objects, ...indexes } = await readHealth(repo)
      return {
        size: objects.size,
        references: { ...references, reference_backend: 'REFERENCE_BACKEND_FILES' },
        objects,
        ...indexes,
        alternates: null,
        is_object_pool: false,
        last_full_repack: null,
        updated_at: now(),
      }
    },
  }),
  endpoint('POST /projects/:id/housekeeping', {
    summary: 'Start housekeeping of a repository',
    operationId: 'startProjectHousekeeping',
    access: unarchived(project('run_housekeeping')),
    reply: Type.Null(),
    status: 201,
    fails: ['conflict'],
    async handle({ app, project }) {
      await startHousekeeping(app, project.id)
      return null
    },
  }),
]

export const housekeepingJobs: AnyJob[] = [housekeepingJob, dailyHousekeepingJob]

/** The entries of one folder as JSON, for the tree beside a file: it asks for each folder that somebody opens. */
import { addressAt } from '../../../addresses/repository.ts'
import { project } from '../../../http/declare/rules.ts'
import { page } from '../../frame/declaration.ts'
import { placeAt } from '../../project/address.ts'
import { folderAt, perPage } from './tree.ts'

export interface TreeEntries {
  /** Without an address for submodules, whose files are elsewhere. */
  rows: Array<{ name: string; type: 'tree' | 'blob' | 'commit'; address: string | null }>
  /** How many more there are than a tree shows. */
  left: number
}

export const entriesPages = [
  page('GET /:project/tree_entries/*', {
    access: project('code'),
    async show({ project: { full_path }, repo, params }) {
      const place = await placeAt(repo, params['*'])
      const { rows, total } = await folderAt(repo, place)
      const found: TreeEntries = {
        rows: rows.map(({ name, type, path }) => ({
          name,
          type,
          address: type === 'commit' ? null : addressAt(full_path, type, place.revision, path),
        })),
        left: Math.max(0, total - perPage),
      }
      const bytes = Buffer.from(JSON.stringify(found))
      return { bytes: { size: bytes.length, describe: () => ({ type: 'application/json' }), open: () => bytes } }
    },
  }),
]

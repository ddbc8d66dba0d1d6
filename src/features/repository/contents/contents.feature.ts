/** Endpoints of contents, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { archives } from './archive.endpoints.ts'
import { comparisons } from './compare.endpoints.ts'
import { repository } from './contents.endpoints.ts'

export const contentsFeature = feature({ endpoints: section('Repository', repository, archives, comparisons) })

/** Endpoints of changes, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { mergeRequestFiles } from './changes.endpoints.ts'

export const changesFeature = feature({ endpoints: section('Merge requests', mergeRequestFiles) })

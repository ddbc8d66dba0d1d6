/** Endpoints of draft notes, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { draftNotes } from './draft-notes.endpoints.ts'

export const draftNotesFeature = feature({ endpoints: section('Merge requests', draftNotes) })

/** All pages and actions of groups. */
import { groupActivityPages } from './activity.pages.ts'
import { directoryPages } from './directory.pages.ts'
import { groupExportPages } from './export.pages.ts'
import { groupPages } from './group.pages.ts'
import { newGroupPages } from './new-group.pages.ts'
import { groupPlacePages } from './places.pages.ts'
import { groupSettingsPages } from './settings.pages.ts'

export const groupsPages = [
  ...newGroupPages,
  ...groupPages,
  ...groupActivityPages,
  ...groupSettingsPages,
  ...directoryPages,
  ...groupExportPages,
  ...groupPlacePages,
]

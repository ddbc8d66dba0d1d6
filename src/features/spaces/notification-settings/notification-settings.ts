/** Notification settings: what other features may use. */
export {
  allSwitches,
  levelNumbers,
  levels,
  type NotificationSwitch,
  readSetting,
  type Setting,
  settingThatHolds,
  switches,
  unchosen,
} from './levels.ts'
export { groupsAbove, type PlaceBelow, settingsAt } from './near.queries.ts'
export { type ChosenPlace, chosenPlaces } from './notification-settings.queries.ts'
export {
  changeGlobalSetting,
  changeSetting,
  forgetSetting,
  getSetting,
  notificationEmail,
  setOwnActivity,
} from './notification-settings.service.ts'

/** What others may use of notification settings. */
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
export { changeGlobalSetting, changeSetting, getSetting, notificationEmail } from './notification-settings.service.ts'

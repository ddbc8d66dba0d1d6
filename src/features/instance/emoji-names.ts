/** Names of emoji in awards: many have several names, of which one is stored. */
import { emojiToName, gemoji, nameToEmoji } from 'gemoji'

/** Names that existing clients send and expect back, where the first name of gemoji differs. */
const ours = `
  airplane_arriving=flight_arrival airplane_departure=flight_departure airplane_small=small_airplane anger_right=right_anger_bubble
  atom=atom_symbol basketball_player=bouncing_ball_person beach=beach_umbrella bellhop=bellhop_bell calendar_spiral=spiral_calendar
  call_me=call_me_hand camera_with_flash=camera_flash card_box=card_file_box cartwheel=cartwheeling champagne_glass=clinking_glasses
  city_dusk=city_sunset clock=mantelpiece_clock cloud_lightning=cloud_with_lightning cloud_rain=cloud_with_rain
  cloud_snow=cloud_with_snow cloud_tornado=tornado clown=clown_face compression=clamp construction_site=building_construction
  cooking=fried_egg cop=police_officer couch=couch_and_lamp couple_mm=couple_with_heart_man_man
  couple_ww=couple_with_heart_woman_woman cowboy=cowboy_hat_face cross=latin_cross cruise_ship=passenger_ship dancer=woman_dancing
  desktop=desktop_computer dividers=card_index_dividers e-mail=email eject=eject_button eye_in_speech_bubble=eye_speech_bubble
  face_palm=facepalm family_mmb=family_man_man_boy family_mmbb=family_man_man_boy_boy family_mmg=family_man_man_girl
  family_mmgb=family_man_man_girl_boy family_mmgg=family_man_man_girl_girl family_mwbb=family_man_woman_boy_boy
  family_mwg=family_man_woman_girl family_mwgb=family_man_woman_girl_boy family_mwgg=family_man_woman_girl_girl
  family_wwb=family_woman_woman_boy family_wwbb=family_woman_woman_boy_boy family_wwg=family_woman_woman_girl
  family_wwgb=family_woman_woman_girl_boy family_wwgg=family_woman_woman_girl_girl fencer=person_fencing film_frames=film_strip
  fingers_crossed=crossed_fingers first_place=1st_place_medal fist=fist_raised flag_black=black_flag flag_white=white_flag
  fleur-de-lis=fleur_de_lis fork_knife_plate=plate_with_cutlery fox=fox_face frame_photo=framed_picture french_bread=baguette_bread
  frowning2=frowning_face goal=goal_net golfer=golfing hammer_pick=hammer_and_pick hand_splayed=raised_hand_with_fingers_splayed
  handball=handball_person head_bandage=face_with_head_bandage heart_exclamation=heavy_heart_exclamation
  helmet_with_cross=rescue_worker_helmet hockey=ice_hockey homes=houses house_abandoned=derelict_house hugging=hugs
  information_desk_person=tipping_hand_person island=desert_island juggling=juggling_person key2=old_key kiss_mm=couplekiss_man_man
  kiss_ww=couplekiss_woman_woman kiwi=kiwi_fruit knife=hocho left_facing_fist=fist_left levitate=business_suit_levitating
  lifter=weight_lifting lion_face=lion map=world_map medal=medal_sports microphone2=studio_microphone military_medal=medal_military
  milk=milk_glass money_mouth=money_mouth_face motorboat=motor_boat mouse_three_button=computer_mouse nerd=nerd_face
  newspaper2=newspaper_roll notepad_spiral=spiral_notepad octagonal_sign=stop_sign oil=oil_drum om_symbol=om park=national_park
  peace=peace_symbol pen_ballpoint=pen pen_fountain=fountain_pen pencil=memo person_frowning=frowning_person
  person_with_blond_hair=blond_haired_person person_with_pouting_face=pouting_face play_pause=play_or_pause_button poop=hankey
  projector=film_projector punch=fist_oncoming race_car=racing_car raised_hand=hand red_car=car rhino=rhinoceros
  right_facing_fist=fist_right rolling_eyes=roll_eyes sailboat=boat salad=green_salad satellite_orbital=artificial_satellite
  scales=balance_scale scooter=kick_scooter second_place=2nd_place_medal shopping_bags=shopping
  skull_crossbones=skull_and_crossbones sleeping_accommodation=sleeping_bed slight_frown=slightly_frowning_face
  slight_smile=slightly_smiling_face snowman2=snowman_with_snow speech_left=left_speech_bubble spy=detective telephone=phone
  ten=keycap_ten thermometer_face=face_with_thermometer third_place=3rd_place_medal thumbsdown=-1 thumbsup=+1
  thunder_cloud_rain=cloud_with_lightning_and_rain timer=timer_clock tools=hammer_and_wrench track_next=next_track_button
  track_previous=previous_track_button umbrella2=open_umbrella upside_down=upside_down_face urn=funeral_urn vulcan=vulcan_salute
  waxing_gibbous_moon=moon white_sun_cloud=sun_behind_large_cloud white_sun_rain_cloud=sun_behind_rain_cloud
  white_sun_small_cloud=sun_behind_small_cloud wilted_rose=wilted_flower wind_blowing_face=wind_face wrestlers=wrestling
  zipper_mouth=zipper_mouth_face
`

const toTheirs = new Map(
  ours
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
)
const toOurs = new Map([...toTheirs].map(([name, theirs]) => [theirs, name]))
const firstNames = new Map(gemoji.map(({ emoji, names }) => [emoji, names[0] as string]))

const toned = /^(.+)_tone([1-5])$/
const flagName = /^flag_([a-z])([a-z])$/
const regionalA = 0x1f1e6

/** The stored name of an emoji, without colons: `thumbsup` for `+1`. Null if there is no such emoji. */
export function emojiName(sent: string): string | null {
  const name = sent.trim().replace(/^:(.+):$/, '$1')
  if (emojiOf(name) === null) return null
  if (toTheirs.has(name) || flagName.test(name)) return name
  const [, base = '', tone] = toned.exec(name) ?? []
  if (tone !== undefined) return `${emojiName(base)}_tone${tone}`
  const emoji = nameToEmoji[name] as string
  if (isFlag(emoji)) return `flag_${lettersOf(emoji)}`
  const first = firstNames.get(emoji) ?? name
  return toOurs.get(first) ?? first
}

/** The emoji with this name, as characters; null if there is none. */
export function emojiOf(name: string): string | null {
  if (Object.hasOwn(nameToEmoji, name)) return nameToEmoji[name] as string
  const theirs = toTheirs.get(name)
  if (theirs !== undefined) return nameToEmoji[theirs] ?? null
  const [, base, tone] = toned.exec(name) ?? []
  if (base !== undefined) return withTone(emojiOf(base), Number(tone))
  const letters = flagName.exec(name)?.slice(1)
  const flag = letters ? String.fromCodePoint(...letters.map((letter) => regionalA + letter.charCodeAt(0) - 97)) : ''
  return Object.hasOwn(emojiToName, flag) ? flag : null
}

function withTone(emoji: string | null, tone: number): string | null {
  const [first = '', ...rest] = emoji ?? ''
  // Couples and families have none, and nobody has two.
  if (!/^\p{Emoji_Modifier_Base}$/u.test(first) || rest.some((char) => /^[\p{Emoji_Modifier_Base}\p{Emoji_Modifier}]$/u.test(char)))
    return null
  return first + String.fromCodePoint(0x1f3fa + tone) + rest.filter((char) => char !== '\ufe0f').join('')
}

function isFlag(emoji: string): boolean {
  return /^\p{Regional_Indicator}{2}$/u.test(emoji)
}

function lettersOf(flag: string): string {
  return [...flag].map((char) => String.fromCharCode((char.codePointAt(0) ?? 0) - regionalA + 97)).join('')
}

/** The name of the emoji if the text consists of only one, as `:name:` or as itself; null for any other text. */
export function onlyEmojiIn(text: string): string | null {
  const trimmed = text.trim()
  const [, named] = /^:([a-z0-9_+-]{1,80}):$/.exec(trimmed) ?? []
  if (named !== undefined) return emojiName(named)
  const known = emojiToName[trimmed]
  return known === undefined ? null : emojiName(known)
}

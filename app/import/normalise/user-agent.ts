/**
 * @module Browser, system and device that a user agent names, each by the first pattern that matches. The patterns are
 * of my-ua-parser 2.0.4 (MIT License, © 2012-2023 Faisal Salman, © 2024 Matteo Collina), of browsers that send reports.
 */

/** A pattern with a name captures the version; without, the name and then the version. */
type BrowserRule = readonly [pattern: RegExp, family?: string]

const browsers: readonly BrowserRule[] = [
  [/\b(?:crmo|crios)\/([\w.]+)/i, 'Chrome'],
  [/edg(?:e|ios|a)?\/([\w.]+)/i, 'Edge'],
  [/opera mini\/([-\w.]+)/i, 'Opera'],
  [/opera [mobiletab]{3,6}\b.+version\/([-\w.]+)/i, 'Opera'],
  [/opera(?:.+version\/|[/ ]+)([\w.]+)/i, 'Opera'],
  [/opios[/ ]+([\w.]+)/i, 'Opera'],
  [/\bop(?:rg)?x\/([\w.]+)/i, 'Opera'],
  [/\bopr\/([\w.]+)/i, 'Opera'],
  [/\bb[ai]*d(?:uhd|[ub]*[aekoprswx]{5,6})[/ ]?([\w.]+)/i, 'Baidu'],
  [/(kindle)\/([\w.]+)/i],
  [/(maxthon)[/ ]?([\w.]*)/i],
  [/iemobile\s?(?:browser)?[/ ]?([\w.]*)/i, 'IE'],
  [/(?:ms|\()ie ([\w.]+)/i, 'IE'],
  [
    /(midori|epiphany|silk|iron|vivaldi|iridium|phantomjs|quark|qupzilla|falkon|puffin|brave|whale(?!.+naver)|qqbrowserlite|qq|duckduckgo)\/([-\w.]+)/i,
  ],
  [/(heytap)browser\/([\d.]+)/i],
  [/(weibo)__([\d.]+)/i],
  [/\bddg\/([\w.]+)/i, 'DuckDuckGo'],
  [/(?:\buc? ?browser|(?:juc.+)ucweb)[/ ]?([\w.]+)/i, 'UCBrowser'],
  [/microm.+\bqbcore\/([\w.]+)/i, 'WeChat'],
  [/\bqbcore\/([\w.]+).+microm/i, 'WeChat'],
  [/micromessenger\/([\w.]+)/i, 'WeChat'],
  [/konqueror\/([\w.]+)/i, 'Konqueror'],
  [/trident.+rv[: ]([\w.]{1,9})\b.+like gecko/i, 'IE'],
  [/ya(?:search)?browser\/([\w.]+)/i, 'Yandex'],
  [/slbrowser\/([\w.]+)/i, 'Smart Lenovo Browser'],
  [/avast\/([\w.]+)/i, 'Avast Secure Browser'],
  [/avg\/([\w.]+)/i, 'AVG Secure Browser'],
  [/\bfocus\/([\w.]+)/i, 'Firefox'],
  [/\bopt\/([\w.]+)/i, 'Opera'],
  [/coc_coc\w+\/([\w.]+)/i, 'Coc Coc'],
  [/dolfin\/([\w.]+)/i, 'Dolphin'],
  [/coast\/([\w.]+)/i, 'Opera'],
  [/miuibrowser\/([\w.]+)/i, 'MIUI Browser'],
  [/fxios\/([-\w.]+)/i, 'Firefox'],
  [/\bqihu|(?:qi?ho?o?|360)browser/i, '360 Browser'],
  [/oculusbrowser\/([\w.]+)/i, 'Oculus Browser'],
  [/sailfishbrowser\/([\w.]+)/i, 'Sailfish Browser'],
  [/huaweibrowser\/([\w.]+)/i, 'Huawei Browser'],
  [/vivobrowser\/([\w.]+)/i, 'Vivo Browser'],
  [/samsungbrowser\/([\w.]+)/i, 'Samsung Internet'],
  [/comodo_dragon\/([\w.]+)/i, 'Comodo Dragon'],
  [/metasr[/ ]?([\d.]+)/i, 'Sogou'],
  [/sogoumo\w+\/([\d.]+)/i, 'Sogou'],
  [/(electron)\/([\w.]+) safari/i],
  [/(tesla)(?: qtcarbrowser|\/(20\d\d\.[-\w.]+))/i],
  [/m?(qqbrowser|2345Explorer)[/ ]?([\w.]+)/i],
  [/(lbbrowser)/i],
  [/\[(linkedin)app\]/i],

  // Views of other programs.
  [/(?:(?:fban\/fbios|fb_iab\/fb4a)(?!.+fbav)|;fbav\/([\w.]+);)/i, 'Facebook'],
  [/(klarna)\/([\w.]+)/i],
  [/(kakao(?:talk|story))[/ ]([\w.]+)/i],
  [/(naver)\(.*?(\d+\.[\w.]+).*\)/i],
  [/safari (line)\/([\w.]+)/i],
  [/\b(line)\/([\w.]+)\/iab/i],
  [/(alipay)client\/([\w.]+)/i],
  [/(twitter)(?:and| f.+e\/([\w.]+))/i],
  [/chromium[/ ]([-\w.]+)/i, 'Chromium'],
  [/(instagram|snapchat)[/ ]([-\w.]+)/i],
  [/\bgsa\/([\w.]+) .*safari\//i, 'GSA'],
  [/musical_ly(?:.+app_?version\/|_)([\w.]+)/i, 'TikTok'],

  // Browsers whose name others have too.
  [/headlesschrome(?:\/([\w.]+)| )/i, 'Chrome'],
  [/ wv\).+chrome\/([\w.]+)/i, 'Chrome'],
  [/droid.+ version\/([\w.]+)\b.+(?:mobile safari|safari)/i, 'Android Browser'],
  [/chrome\/v?([\w.]+)/i, 'Chrome'],
  [/([tizenoka]{5} ?browser)\/v?([\w.]+)/i],
  [/version\/([\w.,]+) .*mobile\/\w+ safari/i, 'Safari'],
  [/version\/([\w(.|,)]+) .*(?:mobile ?safari|safari)/i, 'Safari'],
  [/webkit.+?(?:mobile ?safari|safari)\/[\w.]+/i, 'Safari'],
  [/(webkit|khtml)\/([\w.]+)/i],
  [/mobile vr; rv:([\w.]+)\).+firefox/i, 'Firefox'],
  [/(icedragon|iceweasel)[/ ]?([\w.+]+)/i],
  [/(?:fennec|klar)[/ ]?([\w.+]+)/i, 'Firefox'],
  [/(seamonkey|k-meleon|icecat|palemoon|basilisk|waterfox)\/([-\w.]+)$/i],
  [/firefox\/([\w.]+)/i, 'Firefox'],
  [/(mozilla)\/([\w.]+) .+rv:.+gecko\/\d+/i],
  [/(sleipnir)[-/ ]?v?([\w.]+)/i],
  [/(cobalt)\/([\w.]+)/i],
]

/** A pattern without a name captures it. */
type SystemRule = readonly [pattern: RegExp, name?: string]

const systems: readonly SystemRule[] = [
  [/(windows (?:phone(?: os)?|mobile))/i],
  [/windows nt 6\.2; arm|windows[/ ]?[ntce\d. ]+\w(?!.+xbox)|(?:win(?=3|9|n)|win 9x )[nt\d.]+/i, 'Windows'],
  [/ip[honead]{2,4}\b(?:.*os \w+ like mac|; opera)|(?:ios;fbsv\/|iphone.+ios[/ ])[\d.]+|cfnetwork\/.+darwin/i, 'iOS'],
  [/mac os x|(?:macintosh|mac_powerpc\b)(?!.+haiku)/i, 'Mac OS'],
  [/droid [\w.]+\b.+(android[- ]x86|harmonyos)/i],
  [/(android|webos|qnx|bada|rim tablet os|maemo|meego|sailfish)/i],
  [/(blackberry)\w*\//i],
  [/(tizen|kaios)[/ ][\w.]/i],
  [/\(bb10;/i, 'BlackBerry'],
  [/symbian ?os|symbos|s60(?=;)|series60/i, 'Symbian'],
  [/mozilla\/[\d.]+ \((?:mobile|tablet|tv|mobile; [\w ]+); rv:.+ gecko\/[\w.]/i, 'Firefox OS'],
  [/web0s;.+rttv|\b(?:hp)?wos(?:browser)?\/[\w.]/i, 'webOS'],
  [/watch(?: ?os[,/]|\d,\d\/)[\d.]/i, 'watchOS'],
  [/crkey\/[\d.]/i, 'Chromecast'],
  [/cros \w+(?:\)| [\w.]+\b)/i, 'Chromium OS'],
  [/panasonic;(viera)/i],
  [/(nettv)\/\d+\.[\w.]/i],
  [/(nintendo|playstation) [wids345portablevuch]/i],
  [/(xbox); +xbox [^);]/i],
  [/(mint)[/() ]?/i],
  [/(mageia|vectorlinux)[; ]/i],
  [
    /([kxln]?ubuntu|debian|suse|opensuse|gentoo|arch(?= linux)|slackware|fedora|mandriva|centos|red ?hat|raspbian|deepin|manjaro|elementary os)(?: gnu\/linux)?(?: enterprise)?(?:[- ]linux)?(?:-gnu)?[-/ ]?(?!chrom|package)/i,
  ],
  [/(hurd|linux)/i],
  [/(gnu)/i],
  [/\b([-frentopcghs]{0,5}bsd|dragonfly)[/ ]?(?!amd|[ix346]{1,2}86)/i],
  [/(haiku) \w/i],
  [/sunos/i, 'Solaris'],
  [/((?:open)?solaris)/i],
  [/\b(aix(?= \d)|beos|os\/2|amigaos|morphos|openvms|fuchsia|hp-ux|serenityos)/i],
  [/(unix)/i],
]

type Device = 'mobile' | 'tablet' | 'other' | undefined

/** A Mac names no device, and an iPad in desktop mode names a Mac. */
const devices: readonly (readonly [pattern: RegExp, device: Device])[] = [
  [/\b(?:sm-[ptx]\w{2,4}|gt-[pn]\d{2,4}|nexus (?:7|9|10)\b)/i, 'tablet'],
  // These tablets send Mobile, which tablets should not.
  [
    /\b(?:kf[a-z]{2,5}(?: bui|\))|lenovo ?(?:tab|tb|yt)|tb\d{3}\w+ bui|opd2\d{3}|(?:ag[rs][23]?|bah2?|sht|btv)-a?[lw]\d\d\b)/i,
    'tablet',
  ],
  [/\b(?:(?:s[cgp]h|gt|sm)-\w+|sc[g-]?\d+a?|galaxy nexus)|samsung[- ][-\w]/i, 'mobile'],
  [/(?:\/|\()ip(?:hone|od)[\w, ]*(?:\/|;)/i, 'mobile'],
  [/\(ipad;[-\w),; ]+apple|\bipad\d\d?,\d\d?[;\]].+ios/i, 'tablet'],
  [/macintosh;/i, undefined],
  [
    /apple ?tv|crkey|droid.+aft\w+(?: bui|\))|bravia|\broku|hbbtv|\b(?:android tv|smart[- ]?tv|opera tv|tv; rv:)\b/i,
    'other',
  ],
  [/nintendo [wids3utch]|playstation [345portablevi]|\bxbox(?: one)?(?!; xbox)[); ]/i, 'other'],
  [/watch(?: ?os[,/]|\d,\d\/)[\d.]|quest|tesla(?: qtcarbrowser|\/[-\w.])/i, 'other'],
  [/droid .+?; [^;]+?(?: bui|; wv\)|\) applew).+? mobile safari/i, 'mobile'],
  [/droid .+?; [^;]+?(?: bui|\) applew).+?(?! mobile) safari/i, 'tablet'],
  [/\b(?:tablet|tab)[;/]|focus\/\d(?!.+mobile)/i, 'tablet'],
  [/phone|mobile(?:[;/]| [ \w/.]*safari)/i, 'mobile'],
]

export interface UserAgent {
  /** '' if no browser is named. */
  readonly browser: string
  readonly version: string
  readonly system: string
  /** Undefined if no device is named, for example on a desktop. */
  readonly device: Device
}

export function parseUserAgent(userAgent: string): UserAgent {
  return { ...findBrowser(userAgent), system: findSystem(userAgent), device: findDevice(userAgent) }
}

function findBrowser(userAgent: string): Pick<UserAgent, 'browser' | 'version'> {
  for (const [pattern, family] of browsers) {
    const [found, first = '', second = ''] = pattern.exec(userAgent) ?? []
    if (found !== undefined)
      return family === undefined ? { browser: first, version: second } : { browser: family, version: first }
  }
  return { browser: '', version: '' }
}

function findSystem(userAgent: string): string {
  for (const [pattern, name] of systems) {
    const [found, first = ''] = pattern.exec(userAgent) ?? []
    if (found !== undefined) return name ?? first
  }
  return ''
}

const findDevice = (userAgent: string): Device => devices.find(([pattern]) => pattern.test(userAgent))?.[1]

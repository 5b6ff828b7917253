/**
 * @module Noise (Rule 41): entries that Sentry drops by default, entries in two of the other lists, and a product's own
 * hosts. Hosts that sites load themselves, such as github.com, and hosts of clouds, which change their owner, are
 * omitted. The lists, as of 2026: Sentry, src/sentry/interfaces/security.py; NelmioSecurityBundle, noise detectors;
 * CSP-useful, csp-parser-enhanced.php and csp-wtf; go-csp-collector, blocked_uris.go; City of Helsinki, helfi_csp
 * CspLogService.php; Dryad, csp_violation_reports_controller.rb; report-uri, issues of report-uri-bugs.
 */

type Row = readonly [source: string, words: string]

const wordsOf = (rows: readonly Row[]): ReadonlySet<string> => new Set(rows.flatMap(([, words]) => words.split(' ')))

/** Extensions, browsers and apps with one; every scheme that ends in -extension is one too. */
export const noiseSchemes = wordsOf([
  ['Sentry; Nelmio; Helsinki', 'chrome-extension moz-extension safari-extension ms-browser-extension edge-extension'],
  ['Sentry', 'chrome resource jar symres tmtbff mbinit mxaddon-pkg webviewprogressproxy about'],
  ['go-csp-collector; Helsinki', 'chromenull chromeinvoke chromeinvokeimmediate safari-resource res opera mx mxjscall'],
  ['go-csp-collector; Helsinki', 'ms-appx ms-appx-web android-webview wvjbscheme nativebaiduhd bdvideo'],
  ['Nelmio', 'gsa sraf sinaweibo webviewprogress'],
  ['Nelmio; go-csp-collector; report-uri 7, of Trusteer Rapport', 'none'],
  ['WebKit', 'safari-web-extension webkit-masked-url'],
  ['Chromium; android_webview/common/url_constants.h', 'view-source android-webview-video-poster'],
  ['InAppBrowser of Apache Cordova', 'gap-iab'],
  ['In-app browsers, for a URL without an origin (HTML, 7.1.1)', 'null'],
])

/** Antivirus, filtering and injecting products, each with all its subdomains. */
export const noiseHosts = wordsOf([
  ['Kaspersky; Dryad', 'kaspersky-labs.com'],
  ['Avast; AVG; Nelmio', 'avast.com avcdn.net toolbar.avg.com'],
  ['Bitdefender', 'bitdefender.com bitdefender.net'],
  ['Zscaler; Sentry', 'zscaler.com zscaler.net zscalerone.net zscalertwo.net zscalerthree.net zscloud.net'],
  ['Trusteer Rapport; report-uri 45', 'trusteer.com nikkomsgchannel'],
  ['AdGuard; Sentry', 'local.adguard.org local.adguard.com injections.adguard.org injections.adguard.com'],
  ['Cisco; Nelmio; report-uri 8', 'block.opendns.com scansafe.net'],
  ['NetFree; ThreatSpike; Dryad', 'netfree.link threatspike.com'],
  ['ESET; F-Secure; McAfee; Norton', 'eset.com f-secure.com mcafee.com siteadvisor.com safeweb.norton.com'],
  ['Sophos; Trend Micro; Webroot', 'sophos.com trendmicro.com webroot.com'],
  ['Sentry', 'superfish.com metrext.com tlscdn.com rafomedia.com linkluster.com amiok.org connectionstrenth.com'],
  [
    'Sentry',
    'cdncache-a.akamaihd.net middlerush-a.akamaihd.net resultshub-a.akamaihd.net savingsslider-a.akamaihd.net',
  ],
  [
    'Sentry',
    'icontent.us siteheart.net netanalitics.space printapplink.com godlinkapp.com devappstor.com hoholikik.club',
  ],
  ['Sentry', 'smartlink.cool promfflinkdev.com static.image2play.com v.zilionfast.in xls.searchfun.in saveyoutime.ru'],
  ['Sentry', '73a5b0806e464be8bd4e694c744624f0.com 020dfefc4ac745dab7594f2f771c1ded.com istatic.datafastguru.info'],
  ['Sentry', 'pulseadnetwork.com websmartcenter.com'],
  ['Helsinki; Dryad', 'infird.com secured-pixel.com perplexity.ai'],
  ['Helsinki, of the same extensions as infird.com', 'extensionscontrol.com'],
  ['CSP-useful; report-uri 42, 64', 'loadingpaqes.info alecyueee.us cdnnetwok.xyz'],
  ['Nelmio; report-uri 64', 'awaybird.ru'],
  ['Nelmio; CSP-useful; Dryad', 'adblockers.opera-mini.net gwdang.com youdao.com gj.track.uc.cn'],
  ['Nelmio; CSP-useful', 'best-deals-products.com davebestdeals.com jollywallet.com apps-analytics.net lingualeo.com'],
  [
    'Nelmio; CSP-useful',
    'adnotbad.com adsstrike.pro ashishmishra.in cdncash.com cdncash.net cdncash.org dataloading.net',
  ],
  ['Nelmio; CSP-useful', 'dl.metabar.ru findizer.fr ge0ip.com ge0ip.net getpingu.com istatic.eshopcomp.com jsfuel.com'],
  ['Nelmio; CSP-useful', 'jsl.infostatsvc.com lancheck.net mstat.acestream.net partner-net.men ratexchange.net'],
  [
    'Nelmio; CSP-useful',
    'reek.github.io serverads.net spaceshipad.com takethatad.com trendtext.eu secure.myshopmatemac.com',
  ],
])

const nelmio = 'Nelmio, InjectedScriptsNoiseDetector'
const cspUseful = 'CSP-useful'

/** Texts in the sample of an inline script or style, which browsers cut at 40 characters, and who injects it. */
export const noiseSamples = [
  { text: 'lastpass_it', product: 'LastPass', source: nelmio },
  { text: 'AG_onLoad', product: 'AdGuard', source: `${nelmio}; ${cspUseful}; report-uri 63` },
  { text: 'installGlobalHook(window)', product: 'Vue and React developer tools', source: `${nelmio}; ${cspUseful}` },
  { text: 'window.devToolsOptions', product: 'Angular developer tools', source: `${nelmio}; ${cspUseful}` },
  { text: 'oldSetTimeout=window', product: 'ad blockers', source: `${nelmio}; ${cspUseful}` },
  { text: 'window["_gaUserPrefs"] = { ioo', product: 'opt-out add-on of Google Analytics', source: cspUseful },
  { text: 'klTabId_kis', product: 'Kaspersky', source: cspUseful },
  { text: 's3gt_translate_tooltip', product: 'S3.Translator toolbar', source: cspUseful },
  {
    text: 'function injected(eventName, injectedIn',
    product: 'AdBlock and Adblock Plus',
    source: `inject.preload.js of Adblock Plus; ${cspUseful}`,
  },
] as const

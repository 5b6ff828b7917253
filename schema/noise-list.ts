/**
 * @module Noise (Rule 41). Each host is on at least two of the public lists of Sentry (default ignored CSP sources),
 * NelmioSecurityBundle (noise detectors) and CSP-useful (csp-parser-enhanced.php), or its product's own. Hosts that sites
 * load themselves, such as github.com and s3.amazonaws.com, are left out although two lists have them.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/**
 * Extensions, browsers and apps with one; every scheme that ends in -extension is one too. gap-iab: Apache Cordova's
 * InAppBrowser; null: in-app browsers, for a URL without an origin (HTML, 7.1.1). Also from Chromium's android_webview/common/url_constants.h.
 */
export const noiseSchemes = words(`
  chrome-extension moz-extension safari-extension safari-web-extension webkit-masked-url ms-browser-extension
  edge-extension chrome chromenull chromeinvoke resource safari-resource res jar opera mx mxjscall view-source about
  ms-appx ms-appx-web gsa symres sraf sinaweibo tmtbff webviewprogress webviewprogressproxy wvjbscheme nativebaiduhd
  bdvideo android-webview android-webview-video-poster chromeinvokeimmediate mbinit mxaddon-pkg gap-iab null
`)

/** Antivirus, filtering and injecting products, each with all its subdomains. */
export const noiseHosts = words(`
  kaspersky-labs.com avast.com avcdn.net bitdefender.com bitdefender.net
  zscaler.com zscaler.net zscalerone.net zscalertwo.net zscalerthree.net zscloud.net
  trusteer.com nikkomsgchannel local.adguard.org local.adguard.com injections.adguard.org injections.adguard.com
  superfish.com toolbar.avg.com block.opendns.com scansafe.net metrext.com tlscdn.com
  cdncache-a.akamaihd.net middlerush-a.akamaihd.net resultshub-a.akamaihd.net savingsslider-a.akamaihd.net
  rafomedia.com linkluster.com amiok.org connectionstrenth.com icontent.us best-deals-products.com jollywallet.com
  eset.com f-secure.com mcafee.com siteadvisor.com safeweb.norton.com sophos.com trendmicro.com webroot.com
  adblockers.opera-mini.net adnotbad.com adsstrike.pro ashishmishra.in cdncash.com cdncash.net cdncash.org
  dataloading.net dl.metabar.ru findizer.fr ge0ip.com ge0ip.net getpingu.com istatic.eshopcomp.com jsfuel.com
  jsl.infostatsvc.com lancheck.net mstat.acestream.net netanalitics.space partner-net.men ratexchange.net reek.github.io
  serverads.net siteheart.net spaceshipad.com takethatad.com trendtext.eu
`)

const nelmio = 'NelmioSecurityBundle, InjectedScriptsNoiseDetector'
const cspUseful = 'CSP-useful, csp-parser-enhanced.php'

/** Texts in the sample of an inline script or style, which browsers cut at 40 characters, and who injects it. */
export const noiseSamples = [
  { text: 'lastpass_it', product: 'LastPass', source: nelmio },
  { text: 'AG_onLoad', product: 'AdGuard', source: `${nelmio}; ${cspUseful}` },
  { text: 'installGlobalHook(window)', product: 'Vue and React developer tools', source: `${nelmio}; ${cspUseful}` },
  { text: 'window.devToolsOptions', product: 'Angular developer tools', source: `${nelmio}; ${cspUseful}` },
  { text: 'klTabId_kis', product: 'Kaspersky', source: cspUseful },
  { text: 's3gt_translate_tooltip', product: 'S3.Translator toolbar', source: cspUseful },
  {
    text: 'function injected(eventName, injectedIn',
    product: 'AdBlock and Adblock Plus',
    source: `inject.preload.js of Adblock Plus; ${cspUseful}`,
  },
] as const

/**
 * Schemes and hosts of noise (Rule 41). The hosts are those on which the public lists of Sentry (default ignored CSP
 * sources), NelmioSecurityBundle (noise detectors) and go-csp-collector (default filter) agree.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Extensions, browsers and apps with one; also from Chromium's android_webview/common/url_constants.h. */
export const noiseSchemes = words(`
  chrome-extension moz-extension safari-extension safari-web-extension webkit-masked-url ms-browser-extension
  edge-extension chrome chromenull chromeinvoke resource safari-resource res jar opera mx mxjscall view-source about
  ms-appx ms-appx-web gsa symres sraf sinaweibo tmtbff webviewprogress webviewprogressproxy wvjbscheme nativebaiduhd
  bdvideo android-webview android-webview-video-poster
`)

/** Antivirus, filtering and injecting products, each with all its subdomains. */
export const noiseHosts = words(`
  kaspersky-labs.com avast.com avcdn.net bitdefender.com bitdefender.net
  zscaler.com zscaler.net zscalerone.net zscalertwo.net zscalerthree.net zscloud.net
  trusteer.com local.adguard.org local.adguard.com injections.adguard.org injections.adguard.com
  superfish.com toolbar.avg.com block.opendns.com scansafe.net metrext.com tlscdn.com
  cdncache-a.akamaihd.net middlerush-a.akamaihd.net resultshub-a.akamaihd.net savingsslider-a.akamaihd.net
  rafomedia.com linkluster.com amiok.org connectionstrenth.com icontent.us best-deals-products.com jollywallet.com
  eset.com f-secure.com mcafee.com siteadvisor.com safeweb.norton.com sophos.com trendmicro.com webroot.com
`)

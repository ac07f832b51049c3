// Firefox lets no test open a page of an extension.
chrome.runtime.onInstalled.addListener(() => chrome.tabs.create({ url: 'places.html' }))

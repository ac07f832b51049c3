package interpret

// products: names of things to buy that end like a role, as Replit Agent does.

// productHeads are the nouns of roles with which products are named too.
var productHeads = wordSet(`agent assistant builder coach composer controller creator designer driver editor lead maker manager operator planner recruiter writer`)

// occupations are the words before such a noun by which it is a person after
// all: Insurance Agent, Product Manager.
var occupations = wordSet(`account advertising agency area art backend back-end bank branch brand business call campus career case change channel city claims
	client commercial communications community compliance content corporate country creative credit crm customer data delivery design development devops digital
	district e-commerce ecommerce editorial engineering enterprise estate event events executive facilities facility field finance financial fleet founding
	freelance front-end frontend fullstack full-stack fund game general global graphic growth head health hospitality hotel hr incident insurance interior investment it
	junior key leasing legal letting life lifestyle literary logistics machine maintenance managing marketing media medical mid-level mobile model national network
	office operations partner partnerships patient people performance pharmacy plant policy portfolio pr press private process procurement product production
	program programme project property proposal purchasing qa quality real regional relationship release research restaurant retail revenue risk safety sales
	security senior seo service shift shop site social software staff stage station storage store strategy studio success supply support sustainability system systems
	talent tattoo teaching team technical technology territory tour tower traffic transport travel truck ui ux user vendor video virtual warehouse web wedding wellness window`)

// namesProduct reports whether words are the name of a product that ends like a
// role: all are capitalised, the last is in the singular, and none before it
// makes an occupation of it.
func namesProduct(words []token) bool {
	last := words[len(words)-1]
	if len(words) < 2 || !productHeads[last.norm] {
		return false
	}
	for _, w := range words {
		if w.kind != word || !capitalised(w.text) || occupations[w.norm] || levels[w.norm] != "" {
			return false
		}
	}
	return true
}

package fakenetwork

// The words of the generated world. Changing or reordering them changes every
// generated world; nothing depends on particular ones.

var places = []place{
	{"London, United Kingdom", 101}, {"Berlin, Germany", 102}, {"Paris, France", 103},
	{"Madrid, Spain", 104}, {"Milan, Italy", 105}, {"Lisbon, Portugal", 106},
	{"Amsterdam, Netherlands", 107}, {"Stockholm, Sweden", 108}, {"Dublin, Ireland", 109},
	{"New York, United States", 110}, {"Austin, United States", 111}, {"Toronto, Canada", 112},
	{"São Paulo, Brazil", 113}, {"Mexico City, Mexico", 114}, {"Dubai, United Arab Emirates", 115},
	{"Bengaluru, India", 116}, {"Singapore", 117}, {"Tokyo, Japan", 118},
	{"Sydney, Australia", 119}, {"Nairobi, Kenya", 120}, {"Zürich, Switzerland", 121},
	{"Warsaw, Poland", 122}, {"Hamburg, Germany", 123}, {"Lyon, France", 124},
}

var firstNames = []string{
	"Ada", "Amara", "Anna", "Antoine", "Beatriz", "Björn", "Camille", "Carlos", "Chiara", "Daniel",
	"Diego", "Elena", "Emma", "Fatima", "Felix", "Giulia", "Grace", "Hana", "Hugo", "Ines",
	"Ivan", "Jan", "João", "Jonas", "Julia", "Kenji", "Laila", "Lars", "Lena", "Liam",
	"Lucía", "Luca", "Malik", "Maria", "Marta", "Mateo", "Maya", "Mei", "Mia", "Nadia",
	"Nils", "Noah", "Olga", "Omar", "Paula", "Priya", "Rafael", "Renée", "Rosa", "Samir",
	"Sara", "Sofia", "Søren", "Thomas", "Tomás", "Uma", "Victor", "Wei", "Yuki", "Zoë",
}

var lastNames = []string{
	"Abe", "Almeida", "Andersen", "Bauer", "Bergström", "Bianchi", "Brown", "Castro", "Chen", "Costa",
	"Dubois", "Eriksen", "Fernández", "Ferrari", "Fischer", "García", "Gupta", "Haddad", "Hansen", "Hoffmann",
	"Ito", "Jansen", "Kamau", "Kaya", "Keller", "Khan", "Kim", "Kowalski", "Larsson", "Lefèvre",
	"Lopes", "Martin", "Meyer", "Moreau", "Müller", "Murphy", "Nakamura", "Nguyen", "Novák", "Okafor",
	"Oliveira", "Patel", "Peters", "Petrov", "Reyes", "Ricci", "Rossi", "Santos", "Sato", "Schmidt",
	"Silva", "Singh", "Smith", "Tanaka", "Torres", "van Dijk", "Weber", "Wilson", "Yilmaz", "Zhang",
}

// roles are job titles, senior ones first within a field.
var roles = []string{
	"Chief Executive Officer", "Founder & CEO", "Co-Founder", "Chief Technology Officer", "Chief Financial Officer",
	"Chief Marketing Officer", "VP of Sales", "VP Engineering", "Vice President of Operations", "Director of Product",
	"Marketing Director", "Director of Data Science", "Head of Talent", "Head of Customer Success", "Head of Procurement",
	"Engineering Manager", "Product Manager", "Senior Product Manager", "Account Manager", "Project Manager",
	"Senior Software Engineer", "Staff Engineer", "Software Engineer", "Data Engineer", "Data Scientist",
	"Security Analyst", "Site Reliability Engineer", "UX Designer", "Senior UX Researcher", "Recruiter",
	"HR Business Partner", "Financial Analyst", "Sales Development Representative", "Content Strategist", "Supply Chain Planner",
	"Legal Counsel", "Partner", "Consultant", "Junior Developer", "Marketing Intern",
}

var industries = []string{
	"Software Development", "Financial Services", "Renewable Energy", "Logistics", "Hospitals and Health Care",
	"Retail", "Manufacturing", "Higher Education", "Telecommunications", "Food and Beverage",
	"Construction", "Insurance", "Biotechnology", "Marketing Services", "Staffing and Recruiting",
}

var companyHeads = []string{
	"Alder", "Arbor", "Atlas", "Beacon", "Birch", "Bluefield", "Cardinal", "Cedar", "Cobalt", "Compass",
	"Delta", "Ember", "Fjord", "Granite", "Harbor", "Heron", "Indigo", "Juniper", "Keystone", "Lantern",
	"Maple", "Meridian", "Nordlicht", "Northgate", "Onyx", "Orchard", "Pelican", "Quartz", "Ridge", "Saffron",
	"Solace", "Summit", "Tamarind", "Tidewater", "Umbra", "Vela", "Willow", "Yarrow", "Zenith", "Zephyr",
}

var companyTails = []string{
	"Analytics", "Energy", "Foods", "Health", "Labs", "Logistics", "Partners", "Robotics", "Software", "Systems",
}

var specialties = []string{
	"Cloud migration", "Data platforms", "Warehouse automation", "Payment processing", "Clinical software", "Grid storage",
	"Demand planning", "Brand strategy", "Executive search", "Risk modelling", "Edge computing", "Field service",
	"Quality management", "Packaging", "Learning platforms", "Fraud detection",
}

var skillNames = []string{
	"Leadership", "Go", "Python", "SQL", "Kubernetes", "Negotiation", "Public speaking", "Forecasting", "Machine learning",
	"Product strategy", "Copywriting", "Recruiting", "Financial modelling", "Incident response", "User research", "Terraform",
	"Account management", "Lean", "Procurement", "Change management", "Data visualisation", "Compliance",
}

var schools = []string{
	"University of Northfield", "Lakeside Institute of Technology", "École Supérieure du Rhône", "Technische Hochschule Elbtal",
	"Universidad del Valle Alto", "Università di Pietralba", "Harbour Business School", "Eastbridge College",
}

var degrees = []string{"BSc", "MSc", "MBA", "BA", "PhD"}

var fields = []string{
	"Computer Science", "Economics", "Mechanical Engineering", "Business Administration", "Design", "Statistics", "Law", "Biology",
}

// topic is a subject of posts; the names are also good keywords.
type topic struct{ name, tag string }

var topics = []topic{
	{"artificial intelligence", "AI"}, {"machine learning", "MachineLearning"}, {"cloud security", "CloudSecurity"},
	{"supply chain", "SupplyChain"}, {"remote work", "RemoteWork"}, {"data engineering", "DataEngineering"},
	{"renewable energy", "RenewableEnergy"}, {"battery storage", "BatteryStorage"}, {"customer success", "CustomerSuccess"},
	{"product management", "ProductManagement"}, {"digital health", "DigitalHealth"}, {"open source", "OpenSource"},
	{"observability", "Observability"}, {"Kubernetes", "Kubernetes"}, {"talent acquisition", "Hiring"},
	{"employer branding", "EmployerBranding"}, {"fintech", "Fintech"}, {"procurement", "Procurement"},
	{"carbon accounting", "NetZero"}, {"warehouse robotics", "Robotics"}, {"zero trust", "ZeroTrust"},
	{"C++", "Cpp"}, {"sales enablement", "Sales"}, {"leadership", "Leadership"}, {"user research", "UX"},
	{"quantum computing", "Quantum"}, {"cybersecurity", "CyberSecurity"}, {"data privacy", "Privacy"},
	{"electric vehicles", "EV"}, {"change management", "ChangeManagement"},
}
